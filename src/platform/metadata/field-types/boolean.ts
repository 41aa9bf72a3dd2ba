import type { FieldTypeDefinition } from './field-type.ts';

export const BOOLEAN: FieldTypeDefinition = {
  column: 'boolean',
  cast: 'boolean',
  comparable: true,
  ordered: false,
  textual: false,
  check: (value) => (typeof value === 'boolean' ? { value } : { problem: 'must be true or false' }),
  jsonSchema: () => ({ type: 'boolean' }),
  sample: () => true,
};
