import type { FieldTypeDefinition } from './field-type.ts';
import { pidValues } from './pid-values.ts';

/** A member of the tenant, by the user's pid. */
export const USER: FieldTypeDefinition = {
  ...pidValues('must be the pid of a user'),
  alwaysIndexed: true,
  defaultVariables: ['$user.pid'],
};
