import type { CelNames } from './cel-names.ts';
import { completeCel, type Offer } from './complete-cel.ts';
import { below, isExpression, keysOf, valuesOf, type JsonSchema } from './json-schema.ts';

export interface Offers {
  /** Where the beginning that was typed starts. */
  readonly from: number;
  /** What was typed is one of them already. */
  readonly isWhole: boolean;
  /** Something of them must follow: they are offered before a letter is typed. */
  readonly isExpected?: boolean;
  readonly offers: readonly Offer[];
}

/** Where something is typed: the keys above it, its neighbours, and whether a key or a value is meant. */
interface Place {
  readonly path: readonly string[];
  readonly known: Readonly<Record<string, string>>;
  readonly typed: string;
  readonly isValue: boolean;
}

const KEY = /^(\s*)((?:- +)*)([\w$.:-]+?|"[^"]*"):(?:\s+(.*))?$/;
const SHOWN = 40;

const NO_NAMES: CelNames = new Map();

/**
 * What may stand at a place of a text, by the schema of its content.
 * @param names what its expressions may name
 */
export function completeYaml(text: string, offset: number, schema: JsonSchema, names = NO_NAMES): Offers | null {
  const place = placeAt(text, offset);
  if (!place) return null;
  const { path, known, typed, isValue } = place;
  let found: JsonSchema | undefined = schema;
  for (const step of path) found = below(found, schema, step);
  if (isValue && isExpression(found, schema)) {
    const cel = completeCel(typed, text.slice(0, offset), names);
    const offered = cel && fitting(cel.offers, cel.typed, offset);
    return offered && { ...offered, isExpected: cel.isExpected };
  }
  if (isValue && /\s/.test(typed)) return null;
  const offers = isValue
    ? valuesOf(found, schema).map((name): Offer => ({ name, text: name }))
    : keysAndItems(found, schema, known);
  return fitting(offers, typed, offset);
}

/** Those that what was typed is a part of; those that begin with it come first. */
function fitting(offers: readonly Offer[], typed: string, offset: number): Offers | null {
  const found = offers.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()) && name !== typed);
  const first = (name: string): number => Number(!name.toLowerCase().startsWith(typed.toLowerCase()));
  const sorted = found.toSorted((one, other) => first(one.name) - first(other.name)).slice(0, SHOWN);
  return sorted.length === 0
    ? null
    : { from: offset - typed.length, isWhole: offers.some(({ name }) => name === typed), offers: sorted };
}

/** Keys that are not there yet; of a list of values, these. */
function keysAndItems(schema: JsonSchema | undefined, root: JsonSchema, known: Place['known']): Offer[] {
  const keys = [...keysOf(schema, root, known)].filter(([key]) => !Object.hasOwn(known, key));
  return [
    ...keys.map(([name, { description }]): Offer => ({ name, about: description, text: `${name}: ` })),
    ...valuesOf(schema, root).map((name): Offer => ({ name, text: name })),
  ];
}

function placeAt(text: string, offset: number): Place | null {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const head = text.slice(start, offset);
  if (/(^|\s)#/.test(head)) return null;
  const lines = text.split('\n');
  const index = text.slice(0, start).split('\n').length - 1;
  return inOneLine(lines, index, head) ?? inBlock(lines, index, head);
}

/** Inside `{ ... }` or `[ ... ]` of this line. */
function inOneLine(lines: readonly string[], index: number, head: string): Place | null {
  const open: number[] = [];
  for (const [at, letter] of [...head].entries()) {
    if (letter === '{' || letter === '[') open.push(at);
    else if (letter === '}' || letter === ']') open.pop();
  }
  const last = open.at(-1);
  if (last === undefined) return null;
  const path = [...blockPath(lines, index, head.slice(0, open[0]))];
  for (const [depth, at] of open.entries()) {
    if (head[at] === '[') path.push('#');
    const next = open[depth + 1];
    const key = next === undefined ? undefined : /([\w$.-]+):\s*$/.exec(head.slice(at + 1, next))?.[1];
    if (key !== undefined && head[at] === '{') path.push(key);
  }
  const inside = head.slice(last + 1);
  const part = inside.slice(inside.lastIndexOf(',') + 1);
  const [, key, value = ''] = /^\s*([\w$.-]+):\s+(.*)$/.exec(part) ?? [];
  if (head[last] === '{' && key !== undefined) {
    return { path: [...path, key], known: {}, typed: value, isValue: true };
  }
  if (!/^\s*[\w$.:-]*$/.test(part)) return null;
  const known = Object.fromEntries(
    [...inside.matchAll(/([\w$.-]+):\s+([^,{}[\]]*)/g)].map(([, name = '', is = '']) => [name, is.trim()]),
  );
  return { path, known, typed: part.trim(), isValue: false };
}

/** Of what stands before an opening bracket: `fields:`, `- `, `state:`. */
function blockPath(lines: readonly string[], index: number, head: string): readonly string[] {
  const [, spaces = '', dashes = '', key] =
    KEY.exec(`${head.trimEnd()} `.replace(/:\s*$/, ': ')) ?? /^(\s*)((?:- +)*)/.exec(head) ?? [];
  const above = pathAbove(lines, index, spaces.length, dashes);
  return key === undefined ? above : [...above, key];
}

function inBlock(lines: readonly string[], index: number, head: string): Place | null {
  const [, spaces = '', dashes = '', key, value = ''] = KEY.exec(head) ?? [];
  if (key !== undefined && /:\s/.test(head)) {
    const path = [...pathAbove(lines, index, spaces.length, dashes), key];
    return { path, known: {}, typed: value, isValue: true };
  }
  const bare = /^(\s*)((?:- +)*)([\w$.:-]*)$/.exec(head);
  if (!bare) return null;
  const [, indent = '', marks = '', typed = ''] = bare;
  const column = indent.length + marks.length;
  const known = neighbours(lines, index, column, marks !== '');
  return { path: pathAbove(lines, index, indent.length, marks), known, typed, isValue: false };
}

/** The keys under which a line stands. */
function pathAbove(lines: readonly string[], index: number, indent: number, dashes: string): string[] {
  const path = [...dashes.matchAll(/-/g)].map(() => '#');
  let column = indent;
  let isItem = dashes !== '';
  for (let at = index - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    const [, spaces = '', marks = '', key = ''] = KEY.exec(line) ?? /^(\s*)((?:- +)*)/.exec(line) ?? [];
    const keyColumn = spaces.length + marks.length;
    // A list may stand at the column of its key.
    const isAbove = keyColumn < column || (isItem && marks === '' && keyColumn === column);
    if (isAbove && key !== '') {
      path.unshift(key);
      column = keyColumn;
      isItem = false;
    }
    if (marks !== '' && spaces.length < column && (isAbove || keyColumn === column)) {
      path.unshift(...[...marks.matchAll(/-/g)].map(() => '#'));
      column = spaces.length;
      isItem = true;
    }
    if (column === 0 && !isItem) break;
  }
  return path;
}

/** Keys of the same map, with what they are. */
function neighbours(lines: readonly string[], index: number, column: number, isFirst: boolean): Record<string, string> {
  const known: Record<string, string> = {};
  const look = (at: number): boolean => {
    const line = lines[at] ?? '';
    if (line.trim() === '') return true;
    const [, spaces = '', marks = '', key = '', value = ''] = KEY.exec(line) ?? /^(\s*)((?:- +)*)/.exec(line) ?? [];
    const keyColumn = spaces.length + marks.length;
    if (keyColumn < column) return false;
    if (keyColumn === column && key !== '') known[key] = value.trim();
    return marks === '' || keyColumn !== column;
  };
  if (!isFirst) for (let at = index - 1; at >= 0 && look(at); at -= 1);
  for (let at = index + 1; at < lines.length; at += 1) {
    const marks = /^(\s*)((?:- +)*)/.exec(lines[at] ?? '');
    if ((marks?.[2] ?? '') !== '' && (marks?.[0].length ?? 0) <= column) break;
    if (!look(at)) break;
  }
  return known;
}
