/**
 * The word that was meant: it differs by one edit, or by two where it is longer than four characters.
 * @param {string} word
 * @param {readonly string[]} known
 * @returns {string | null}
 */
export function closest(word, known) {
  const most = word.length > 4 ? 2 : 1;
  const [best] = known
    .map((each) => ({ each, edits: edits(word, each) }))
    .filter((one) => word.length > 2 && one.edits <= most)
    .sort((one, other) => one.edits - other.edits);
  return best?.each ?? null;
}

/** Insertions, deletions, replacements and exchanges of neighbours that turn one word into the other. */
function edits(/** @type {string} */ one, /** @type {string} */ other) {
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  const at = (/** @type {number} */ i, /** @type {number} */ j) => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    rows[i] = row;
    for (let j = 1; j <= other.length; j += 1) {
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1),
        isSwapped ? at(i - 2, j - 2) + 1 : Infinity,
      );
    }
  }
  return at(one.length, other.length);
}
