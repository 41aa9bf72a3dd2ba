/** Whether a text has more characters than this. As JSON Schema and Postgres count, an emoji is one. */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  // A character has one or two code units.
  if (text.length > 2 * max) return true;
  let characters = 0;
  for (const _character of text) characters += 1;
  return characters > max;
}
