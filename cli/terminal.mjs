/**
 * What terminals obey or readers do not see: control characters other than a tab and a line's end, and
 * characters that reverse the order of a text or have no width.
 */
const COMMANDING = /(?![\n\t])[\p{Cc}\u2028\u2029\p{Bidi_Control}\u200B\u2060\uFEFF]/gu;

/**
 * Escapes what a terminal would obey. Text of the service and of files goes through here on its way to a
 * person; JSON stays the same JSON.
 * @param {string} text
 */
export function printable(text) {
  return text.replace(COMMANDING, escaped);
}

/** As `printable`, in one line. */
export function printableLine(/** @type {string} */ text) {
  return printable(text).replace(/[\n\t]/g, escaped);
}

/** A text of these lines: what stands in one of them cannot make another. */
export function asLines(/** @type {readonly string[]} */ lines) {
  return lines.map(printableLine).join('\n');
}

/** Prints to standard output. */
export function print(/** @type {string} */ text) {
  return process.stdout.write(printable(text));
}

/** Prints to standard error. */
export function tell(/** @type {string} */ text) {
  return process.stderr.write(printable(text));
}

function escaped(/** @type {string} */ character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
