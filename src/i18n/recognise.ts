import { en } from './en.ts';

/** A text of ours: its key, and what stands in the places of its template. */
export interface Recognised {
  readonly key: string;
  readonly values: ReadonlyMap<string, string>;
}

interface Template {
  readonly key: string;
  readonly names: readonly string[];
  /** The words around the places: one more than there are places. */
  readonly words: readonly string[];
}

/** Texts of ours are short; longer ones quote somebody, and would only cost time. */
const MAX_LENGTH = 2_000;
const PLACE = /\{(\w+)\}/g;
/** How many characters of a template's beginning lead to it. */
const PREFIX = 4;

const exact = new Map<string, Recognised>();
/** Templates by their beginning; under '' those that begin with a place. */
const templates = new Map<string, Template[]>();
for (const [key, text] of Object.entries(en)) {
  const parts = text.split(PLACE);
  const names = parts.filter((_, index) => index % 2 === 1);
  if (names.length === 0) {
    exact.set(text, { key, values: new Map() });
    continue;
  }
  const words = parts.filter((_, index) => index % 2 === 0);
  const [first = ''] = words;
  const prefix = first.length < PREFIX ? '' : first.slice(0, PREFIX);
  templates.set(prefix, [...(templates.get(prefix) ?? []), { key, names, words }]);
}
// Of two that fit, the one with more words of its own says more.
for (const some of templates.values()) some.sort((a, b) => b.words.join('').length - a.words.join('').length);

/** Finds a text of ours by its words, in time proportional to its length; null for anything else. */
export function recognise(text: string): Recognised | null {
  const known = exact.get(text);
  if (known || text.length > MAX_LENGTH) return known ?? null;
  for (const prefix of [text.slice(0, PREFIX), '']) {
    for (const { key, names, words } of templates.get(prefix) ?? []) {
      const found = placesIn(text, words);
      if (found) return { key, values: new Map(names.map((name, index) => [name, found[index] as string])) };
    }
  }
  return null;
}

/**
 * What stands between the words, each time up to their next occurrence. Where the words fit at all, they fit this way, so
 * nothing is ever tried twice, which a regular expression would do.
 */
function placesIn(text: string, words: readonly string[]): string[] | null {
  const [first = '', ...rest] = words;
  const last = rest.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return null;
  const found: string[] = [];
  let at = first.length;
  for (const [index, word] of rest.entries()) {
    const end = index === rest.length - 1 ? text.length - last.length : text.indexOf(word, at + 1);
    if (end <= at) return null;
    found.push(text.slice(at, end));
    at = end + word.length;
  }
  return found;
}
