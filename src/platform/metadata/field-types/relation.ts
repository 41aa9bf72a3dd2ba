import type { FieldTypeDefinition } from './field-type.ts';
import { FILE } from './file.ts';

/** A record of the model `target`, by its pid. */
export const RELATION: FieldTypeDefinition = {
  ...FILE,
  options: ['target', 'onDelete'],
  requiredOption: 'target',
  alwaysIndexed: true,
};
