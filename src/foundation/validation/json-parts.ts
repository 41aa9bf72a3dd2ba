import { tooLarge } from '../errors/too-large.ts';
import { MAX_ANSWER_BYTES } from '../foundation.limits.ts';

/** What has fewer values and characters is written at once. */
const SMALL = { values: 10_000, characters: 128 * 1024 };

/** Writes a value that is no large object or array; undefined where JSON has none. */
export type WriteJson = (value: unknown) => string | undefined;

/** The parts of a value's JSON, each of a size that is written at once. */
export function* jsonParts(value: unknown, write: WriteJson = JSON.stringify): Generator<string> {
  if (!isContainer(value) || isSmallJson(value)) return void (yield write(value) ?? 'null');
  if (Array.isArray(value)) {
    let separator = '[';
    for (const element of value) {
      yield separator;
      yield* jsonParts(element, write);
      separator = ',';
    }
    return void (yield separator === '[' ? '[]' : ']');
  }
  let separator = '{';
  for (const [key, property] of Object.entries(value)) {
    // As `JSON.stringify` leaves them out.
    if (property === undefined || typeof property === 'function') continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* jsonParts(property, write);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/**
 * JSON of a value that may hold another many times.
 * @throws CONFLICT (TOO_LARGE) as soon as it has more than `maxBytes`
 */
export function boundedJson(value: unknown, maxBytes = MAX_ANSWER_BYTES): string {
  let bytes = 0;
  const parts: string[] = [];
  for (const part of jsonParts(value)) {
    bytes += Buffer.byteLength(part);
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  return parts.length === 1 ? (parts[0] as string) : parts.join('');
}

/** Whether it is an object or an array whose parts are written one by one. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether a value can be written at once: for few values this is cheap to find out. */
export function isSmallJson(value: object): boolean {
  let { values, characters } = SMALL;
  const open: object[] = [value];
  const count = (child: unknown): boolean => {
    values -= 1;
    if (typeof child === 'string') characters -= child.length;
    else if (typeof child === 'object' && child !== null) open.push(child);
    return values >= 0 && characters >= 0;
  };
  for (let next = open.pop(); next; next = open.pop()) {
    // Arrays have a loop of their own: `for in` makes a text of each index.
    if (Array.isArray(next)) {
      if (!next.every(count)) return false;
    } else {
      for (const key in next) if (!count((next as Record<string, unknown>)[key])) return false;
    }
  }
  return true;
}
