import { en } from './en.ts';

/** A text of ours: its key, and what stands in the places of its template. */
export interface Recognised {
  readonly key: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Texts of ours are short; longer ones quote somebody, and would only cost time. */
const MAX_LENGTH = 500;
const PLACE = /\{(\w+)\}/g;

const exact = new Map<string, Recognised>();
const patterns: { readonly key: string; readonly names: readonly string[]; readonly pattern: RegExp }[] = [];
for (const [key, template] of Object.entries(en)) {
  const names = [...template.matchAll(PLACE)].map(([, name]) => name as string);
  if (names.length === 0) exact.set(template, { key, values: new Map() });
  else {
    const source = template
      .split(PLACE)
      .map((part, index) => (index % 2 === 0 ? part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : '(.+)'));
    patterns.push({ key, names, pattern: new RegExp(`^${source.join('')}$`, 's') });
  }
}

/** Finds a text of ours by its words; null for anything else. */
export function recognise(text: string): Recognised | null {
  const known = exact.get(text);
  if (known || text.length > MAX_LENGTH) return known ?? null;
  for (const { key, names, pattern } of patterns) {
    const [, ...found] = pattern.exec(text) ?? [];
    if (found.length > 0) return { key, values: new Map(names.map((name, index) => [name, found[index] ?? ''])) };
  }
  return null;
}
