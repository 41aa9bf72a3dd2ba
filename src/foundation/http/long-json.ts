import { inTurn, letOthersRun } from '../jobs/turns.ts';
import { JSON_SLICE, SHORT_JSON } from '../foundation.limits.ts';
import { endOfText, JsonScan, type JsonRules } from '../validation/json-scan.ts';
import { keepDigits, parseJson, parseScanned, type ParsedJson } from '../validation/json-text.ts';

type Reviver = typeof keepDigits;

/** As `parseJson`, for a text that may be long: scanned and parsed in turns with other work. */
export async function parseLongJson(text: string, rules: JsonRules): Promise<ParsedJson> {
  if (text.length <= SHORT_JSON) return parseJson(text, rules);
  const scan = new JsonScan(text, rules);
  for (let end = JSON_SLICE; !(await inTurn(() => scan.run(end))); end += JSON_SLICE);
  if (text.length <= JSON_SLICE || Object.keys(scan.problems).length > 0) {
    const parsed = await inTurn(() => parseScanned(scan, text));
    // What is done with it takes time as well.
    await letOthersRun();
    return parsed;
  }
  try {
    return { value: await parseInSlices(text, scan.hasRoundedNumber ? keepDigits : undefined) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problems: { '': 'is not valid JSON' } };
    throw error;
  }
}

/** What JSON.parse makes of a text, a slice of its members at a time. @throws SyntaxError */
async function parseInSlices(given: string, reviver?: Reviver): Promise<unknown> {
  await letOthersRun();
  const text = given.trim();
  const isArray = text.startsWith('[');
  if (text.length <= JSON_SLICE || !(isArray || text.startsWith('{'))) return JSON.parse(text, reviver);
  const array: unknown[] = [];
  const object: Record<string, unknown> = {};
  const ends = await endsOfMembers(text);
  if (ends.at(-1) !== text.length - 1) throw new SyntaxError('goes on after its end');
  let start = 1;
  for (const [index, end] of ends.entries()) {
    const isLast = index === ends.length - 1;
    const next = ends[index + 1] ?? end;
    // One by one where the next is long.
    if (!isLast && next - start <= JSON_SLICE) continue;
    const members = text.slice(start, end);
    if (members.trim() === '' && !(isLast && start === 1)) throw new SyntaxError('lacks a member');
    if (isArray) for (const item of await itemsIn(members, reviver)) array.push(item);
    else addEntries(object, await entriesIn(members, reviver));
    start = end + 1;
  }
  if (text.endsWith(isArray ? ']' : '}')) return isArray ? array : object;
  throw new SyntaxError('ends with another bracket');
}

async function itemsIn(members: string, reviver?: Reviver): Promise<unknown[]> {
  if (members.length <= JSON_SLICE) return JSON.parse(`[${members}]`, reviver) as unknown[];
  return [await parseInSlices(members, reviver)];
}

async function entriesIn(members: string, reviver?: Reviver): Promise<object> {
  if (members.length <= JSON_SLICE) return JSON.parse(`{${members}}`, reviver) as object;
  const keyEnd = endOfText(members, members.indexOf('"'));
  const colon = members.indexOf(':', keyEnd);
  const key: unknown = JSON.parse(members.slice(0, colon === -1 ? 0 : colon));
  if (typeof key !== 'string') throw new SyntaxError('a key is a text');
  return { [key]: await parseInSlices(members.slice(colon + 1), reviver) };
}

/** As JSON.parse does: an assignment of `__proto__` would set the prototype. */
function addEntries(object: Record<string, unknown>, entries: object): void {
  for (const [key, value] of Object.entries(entries)) {
    if (key === '__proto__') Object.defineProperty(object, key, { value, ...PLAIN });
    else object[key] = value;
  }
}

const PLAIN = { configurable: true, enumerable: true, writable: true };

/** Where the members of an object or array end: at the commas of its own level, and at its bracket. */
async function endsOfMembers(text: string): Promise<number[]> {
  const ends: number[] = [];
  let depth = 0;
  let pause = JSON_SLICE;
  for (let at = 1; at < text.length; at += 1) {
    if (at > pause) {
      await letOthersRun();
      pause = at + JSON_SLICE;
    }
    const character = text[at];
    if (character === '"') at = endOfText(text, at) - 1;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth < 0) return [...ends, at];
    if (character === ',' && depth === 0) ends.push(at);
  }
  throw new SyntaxError('never ends');
}
