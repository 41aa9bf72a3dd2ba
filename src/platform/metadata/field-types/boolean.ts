import type { FieldTypeDefinition } from './field-type.ts';

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
    return { value: word === 'true' || word === '1' ? true : word === 'false' || word === '0' ? false : given };
  },
  jsonSchema: () => ({ type: 'boolean' }),
  sample: () => true,
};
