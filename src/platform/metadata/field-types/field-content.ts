import { Type, type Static } from 'typebox';
import { closedObject } from '../content/schema-parts.ts';
import { FIELD_OPTIONS } from './field-options.ts';
import { FIELD_TYPE_NAMES, FIELD_TYPES } from './field-types.ts';

const requiredOptions = Object.entries(FIELD_TYPES).flatMap(([type, { requiredOption }]) =>
  requiredOption === undefined
    ? []
    : [{ if: { properties: { type: { const: type } } }, then: { required: [requiredOption] } }],
);

/** The schema of a field, with the schema of its code. */
export function fieldSchema(code: typeof FIELD_OPTIONS.code) {
  const properties = { ...FIELD_OPTIONS, code, type: Type.Enum(FIELD_TYPE_NAMES) };
  return closedObject(properties, { allOf: requiredOptions });
}

export const FIELD = fieldSchema(FIELD_OPTIONS.code);

/** A field as a model, a command or an automation declares it. */
export type FieldContent = Static<typeof FIELD>;

export const MAX_FIELDS = 500;
export const FIELDS = Type.Array(FIELD, { maxItems: MAX_FIELDS });
