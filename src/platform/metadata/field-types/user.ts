import type { FieldTypeDefinition } from './field-type.ts';
import { FILE } from './file.ts';

/** A member of the tenant, by the user's pid. */
export const USER: FieldTypeDefinition = {
  ...FILE,
  alwaysIndexed: true,
  defaultVariables: ['$user.pid'],
  check: (value) => ('value' in FILE.check(value) ? { value } : { problem: 'must be the pid of a user' }),
};
