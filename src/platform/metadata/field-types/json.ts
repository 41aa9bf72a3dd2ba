import { firstProblem, parseJson } from '../../../foundation/validation/json-text.ts';
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
    const parsed = parseJson(text);
    return 'value' in parsed ? parsed : { problem: firstProblem(parsed) };
  },
  toParameter: (value) => JSON.stringify(value),
  jsonSchema: () => ({}),
  sample: () => ({}),
};
