import type { FieldContent } from './field-content.ts';
import type { JsonSchema } from './field-type.ts';
import { FIELD_TYPES } from './field-types.ts';

/**
 * A payload of these fields as a JSON Schema.
 * @param nameOf the name of a field in the reader's language
 * @param isWhole whether required fields have to be there, as for a create
 */
export function payloadSchemaOf(
  fields: readonly FieldContent[],
  nameOf: (field: FieldContent) => string,
  isWhole: boolean,
): JsonSchema {
  const required = fields.filter((field) => field.required && field.default === undefined).map(({ code }) => code);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.code, { title: nameOf(field), ...schemaOf(field) }])),
    ...(isWhole && required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function schemaOf(field: FieldContent): JsonSchema {
  const schema = FIELD_TYPES[field.type].jsonSchema(field);
  if (field.required) return schema.type === 'string' ? { minLength: 1, ...schema } : schema;
  if (Array.isArray(schema.enum)) return { ...schema, enum: [...(schema.enum as unknown[]), null] };
  return schema.type === undefined ? schema : { ...schema, type: [schema.type, 'null'].flat() };
}
