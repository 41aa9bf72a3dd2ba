/** What a column costs in a row, beside its name. */
const COLUMN_BYTES = 16;
/** Texts up to this length are not looked at: they count as wide ones. */
const LOOKED_AT_FROM = 1_024;
/** What a value within JSON takes at most, beside its characters: an object with its first property. */
const PARSED_VALUE_BYTES = 56;
const [OPEN_ARRAY, OPEN_OBJECT, COMMA, COLON] = [0x5b, 0x7b, 0x2c, 0x3a];

/** Bytes of a row without its values. Its names stand in the answer for each record. */
export function weightOfColumns(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + name.length + COLUMN_BYTES, 0);
}

/** Bytes of a text as V8 holds it: one wide character makes all of them take two. */
export function weightOfText(text: string): number {
  if (text.length < LOOKED_AT_FROM) return text.length * 2;
  return Buffer.byteLength(text) === text.length ? text.length : text.length * 2;
}

/** Bytes of what a JSON text becomes when it is parsed. */
export function weightOfJson(json: string): number {
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    // A set of them takes three times as long.
    if (character === COMMA || character === COLON || character === OPEN_ARRAY || character === OPEN_OBJECT)
      values += 1;
  }
  return weightOfText(json) + values * PARSED_VALUE_BYTES;
}
