import { stringifySearchWith } from '@tanstack/react-router';

/** Writes the state of a screen into an address: a text that reads as a number stands without quotes. */
export const writeSearch = stringifySearchWith(JSON.stringify, (text: string): unknown => {
  if (isNumber(text)) throw new SyntaxError('is no JSON that must be told from a text');
  return JSON.parse(text);
});

/** A text of an address; the router has read it as a number where it looks like one. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Whether the router reads it as a number, whose text is the same again. */
function isNumber(text: string): boolean {
  return String(Number(text)) === text;
}
