import type { FieldTypeDefinition } from './field-type.ts';

/**
 * What Postgres cannot store, as JSON.stringify writes it: NUL and lone surrogates, behind an unescaped
 * backslash.
 */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Any JSON value. */
export const JSON_VALUE: FieldTypeDefinition = {
  column: 'jsonb',
  cast: 'jsonb',
  comparable: false,
  ordered: false,
  textual: false,
  check(value) {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return { problem: 'must be a JSON value' };
    return UNSTORABLE.test(text) ? { problem: 'must not contain NUL or ill-formed Unicode' } : { value };
  },
  fromText(text) {
    try {
      return { value: JSON.parse(text) as unknown };
    } catch {
      return { problem: 'is not valid JSON' };
    }
  },
  toParameter: (value) => JSON.stringify(value),
  jsonSchema: () => ({}),
  sample: () => ({}),
};
