/** A word of a message as its rules see it. Commas stand alone; what was quoted is one word. */
export interface Word {
  readonly raw: string;
  readonly low: string;
  readonly quoted: boolean;
}

const WORD =
  /([€$£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?)(?![\d,])|"([^"]+)"|“([^”]+)”|'([^']+)'(?=[\s,.;:!?]|$)|(,)|(>=|<=|!=|[=<>])|([^\s,"“”=<>]+)/g;

/** Without the punctuation around words; decimals, e-mails and times keep theirs. */
export function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].flatMap(([, number, double, curly, single, comma, operator, plain]): Word[] => {
    const quoted = double ?? curly ?? single;
    if (quoted !== undefined) return [{ raw: quoted, low: quoted.toLowerCase(), quoted: true }];
    const raw = number ?? comma ?? operator ?? (plain ?? '').replace(/^[(¿]+|[?!.;:)]+$/g, '');
    return raw === '' ? [] : [{ raw, low: raw.toLowerCase().replace(/[’']s$/, ''), quoted: false }];
  });
}

/** The ways in which a name is written: `deal_line`, `deal line`, and the plurals. */
export function formsOf(...names: readonly string[]): string[][] {
  const plain = new Set(names.map((name) => name.toLowerCase().replaceAll('_', ' ').trim()));
  const forms = [...plain].flatMap((name) => [name, pluralOf(name)]);
  const coded = names.map((name) => name.toLowerCase());
  return [...new Set([...forms, ...coded])].map((form) => form.split(/\s+/)).sort((a, b) => b.length - a.length);
}

export function pluralOf(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

/** How many words from `at` on are this form; 0: they are something else. */
export function matchAt(words: readonly Word[], at: number, form: readonly string[]): number {
  return form.every((part, index) => words[at + index]?.low === part && !words[at + index]?.quoted) ? form.length : 0;
}

/** The longest of these forms that stands at a place. */
export function longestAt<T>(
  words: readonly Word[],
  at: number,
  known: Iterable<readonly [forms: readonly (readonly string[])[], meaning: T]>,
): { readonly meaning: T; readonly length: number } | null {
  let best: { meaning: T; length: number } | null = null;
  for (const [forms, meaning] of known) {
    for (const form of forms) {
      const length = matchAt(words, at, form);
      if (length > (best?.length ?? 0)) best = { meaning, length };
    }
  }
  return best;
}

export function textOfWords(words: readonly Word[]): string {
  return words
    .map(({ raw }) => raw)
    .join(' ')
    .replaceAll(' ,', ',');
}
