/**
 * A text that spreadsheets would take for a formula when they open a CSV file, behind any number of
 * apostrophes. One apostrophe more keeps it a text; one less gives back what it was.
 */
const LIKE_FORMULA = /^'*[=+\-@\t\r\n]/;
const DISARMED = /^'+[=+\-@\t\r\n]/;

/** The text as it stands in a CSV file. Reversed by `rearm`. */
export function disarm(text: string): string {
  return LIKE_FORMULA.test(text) ? `'${text}` : text;
}

/** The text that `disarm` was given. */
export function rearm(text: string): string {
  return DISARMED.test(text) ? text.slice(1) : text;
}
