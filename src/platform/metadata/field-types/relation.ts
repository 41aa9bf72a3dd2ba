import type { FieldTypeDefinition } from './field-type.ts';
import { pidValues } from './pid-values.ts';

/** A record of the model `target`, by its pid. */
export const RELATION: FieldTypeDefinition = {
  ...pidValues('must be the pid of a record'),
  options: ['target', 'onDelete'],
  requiredOption: 'target',
  alwaysIndexed: true,
};
