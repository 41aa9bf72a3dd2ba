import { tooLarge } from '../errors/too-large.ts';
import { MAX_ANSWER_BYTES } from '../foundation.limits.ts';

/** What has fewer values and characters is written at once. */
const SMALL = { values: 10_000, characters: 128 * 1024 };

/** Writes a value that is no large object or array; undefined where JSON has none. */
export type WriteJson = (value: unknown) => string | undefined;

/** The parts of a value's JSON, each of a size that is written at once. */
export function* jsonParts(value: unknown, write: WriteJson = JSON.stringify): Generator<string> {
  if (!isContainer(value) || isSmallJson(value)) return void (yield write(value) ?? 'null');
  const isArray = Array.isArray(value);
  let part = isArray ? '[' : '{';
  let separator = '';
  let left = { ...SMALL };
  for (const [key, member] of isArray ? value.entries() : Object.entries(value)) {
    // As `JSON.stringify` leaves them out.
    if (!isArray && (member === undefined || typeof member === 'function')) continue;
    part += isArray ? separator : `${separator}${JSON.stringify(key)}:`;
    separator = ',';
    if (fitsInto(left, member)) {
      part += write(member) ?? 'null';
      continue;
    }
    yield part;
    yield* jsonParts(member, write);
    part = '';
    left = { ...SMALL };
  }
  yield `${part}${isArray ? ']' : '}'}`;
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
  return fitsInto({ ...SMALL }, value);
}

/** Whether there is room for a value among what is written at once; takes the room. */
function fitsInto(left: { values: number; characters: number }, value: unknown): boolean {
  const open: object[] = [];
  const count = (child: unknown): boolean => {
    left.values -= 1;
    if (typeof child === 'string') left.characters -= child.length;
    else if (typeof child === 'object' && child !== null) open.push(child);
    return left.values >= 0 && left.characters >= 0;
  };
  if (!count(value)) return false;
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
