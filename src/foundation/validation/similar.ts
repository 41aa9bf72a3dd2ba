import { text, type Message } from '../i18n/text.ts';

/** The longest word that is compared: the time is quadratic. */
const MAX_LENGTH = 64;

/** The problem of an unknown word, with the known one that its author may have meant. */
export function withSuggestion(problem: Message, word: string, known: Iterable<string>): Message {
  const suggestion = closestOf(word, known);
  return suggestion === null ? problem : text('{problem}; did you mean {suggestion}?', { problem, suggestion });
}

/** The word that differs least: by one edit, or by two where it is longer than four characters. */
export function closestOf(word: string, known: Iterable<string>): string | null {
  // A short word is another one after a single edit.
  if (word.length < 3 || word.length > MAX_LENGTH) return null;
  const given = word.toLowerCase();
  let [best, distance] = [null as string | null, word.length > 4 ? 3 : 2];
  for (const each of known) {
    if (Math.abs(each.length - word.length) >= distance || each === word) continue;
    const edits = editsBetween(given, each.toLowerCase());
    if (edits < distance) [best, distance] = [each, edits];
  }
  return best;
}

/** Insertions, deletions, replacements and exchanges of neighbours that turn one word into the other. */
function editsBetween(one: string, other: string): number {
  let [before, row] = [[] as number[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
