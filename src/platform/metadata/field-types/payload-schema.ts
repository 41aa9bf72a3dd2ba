import type { FieldContent } from './field-content.ts';
import type { JsonSchema } from './field-type.ts';
import type { FieldOptions } from './field-options.ts';
import { FIELD_TYPES, type FieldType } from './field-types.ts';

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
    properties: Object.fromEntries(
      fields.map((field) => [field.code, { title: nameOf(field), ...schemaOf(field, nameOf) }]),
    ),
    ...(isWhole && required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** A value of a field as records have it: one form, whatever forms a payload may have. */
export function recordValueSchemaOf(field: FieldOptions & { readonly type: FieldType }): JsonSchema {
  const { type, format, enum: values } = FIELD_TYPES[field.type].jsonSchema(field);
  const [first] = [type].flat();
  const isNullable = !field.required && type !== undefined;
  return {
    ...(type !== undefined && { type: isNullable ? [first, 'null'] : first }),
    ...(format !== undefined && { format }),
    ...(Array.isArray(values) && { enum: field.required ? (values as unknown[]) : [...(values as unknown[]), null] }),
  };
}

function schemaOf(field: FieldContent, nameOf: (field: FieldContent) => string): JsonSchema {
  const ofType = FIELD_TYPES[field.type].jsonSchema(field);
  const schema = field.fields ? { ...ofType, items: payloadSchemaOf(field.fields, nameOf, true) } : ofType;
  if (field.required) return schema.type === 'string' ? { minLength: 1, ...schema } : schema;
  if (Array.isArray(schema.enum)) return { ...schema, enum: [...(schema.enum as unknown[]), null] };
  return schema.type === undefined ? schema : { ...schema, type: [schema.type, 'null'].flat() };
}
