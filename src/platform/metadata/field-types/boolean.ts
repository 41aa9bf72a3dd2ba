import type { FieldTypeDefinition } from './field-type.ts';

/** What stands for a value in files, ignoring case: JSON's words, digits, words of the shipped languages. */
const YES = ['true', '1', 'yes', '是'];
const NO = ['false', '0', 'no', '否'];

export const BOOLEAN: FieldTypeDefinition = {
  column: 'boolean',
  cast: 'boolean',
  comparable: true,
  ordered: false,
  textual: false,
  cell: 'boolean',
  check: (value) => (typeof value === 'boolean' ? { value } : { problem: 'must be true or false' }),
  fromText(given) {
    const word = given.trim().toLowerCase();
    return { value: YES.includes(word) ? true : NO.includes(word) ? false : given };
  },
  jsonSchema: () => ({ type: 'boolean' }),
  sample: () => true,
};
