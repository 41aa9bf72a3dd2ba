import { withSuggestion } from '../../../foundation/validation/similar.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import { TEXT_VALUES } from './text-values.ts';
import { text } from '../../../foundation/i18n/text.ts';

/** One of the texts in `values`. */
export const ENUM: FieldTypeDefinition = {
  ...TEXT_VALUES,
  formats: ['badge'],
  options: ['values', 'labels', 'transitions', 'searchable'],
  requiredOption: 'values',
  checkOptions: ({ values = [] }, value) =>
    values.includes(String(value))
      ? null
      : withSuggestion(text('must be one of {values}', { values: values.join(', ') }), String(value), values),
  jsonSchema: ({ values = [] }) => ({ enum: values }),
  sample: ({ values }) => values?.[0] ?? null,
};
