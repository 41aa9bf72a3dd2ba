import { Type, type Static } from 'typebox';
import { closedObject } from '../content/schema-parts.ts';
import { FIELD_OPTIONS } from './field-options.ts';
import { MAX_ITEM_FIELDS } from './field-types.limits.ts';
import { FIELD_TYPE_NAMES, FIELD_TYPES, type FieldType } from './field-types.ts';

const requiredOptions = Object.entries(FIELD_TYPES).flatMap(([type, { requiredOption }]) =>
  requiredOption === undefined
    ? []
    : [{ if: { properties: { type: { const: type } } }, then: { required: [requiredOption] } }],
);

/** The items of a list hold no lists. */
const ITEM_TYPES = FIELD_TYPE_NAMES.filter((type): type is Exclude<FieldType, 'list'> => type !== 'list');
const ITEM_FIELD = closedObject({ ...FIELD_OPTIONS, type: Type.Enum(ITEM_TYPES) }, { allOf: requiredOptions });

/** The schema of a field, with the schema of its code. */
export function fieldSchema(code: typeof FIELD_OPTIONS.code) {
  const fields = Type.Optional(
    Type.Array(ITEM_FIELD, {
      minItems: 1,
      maxItems: MAX_ITEM_FIELDS,
      description: 'The fields of each item of a list',
    }),
  );
  const properties = { ...FIELD_OPTIONS, code, type: Type.Enum(FIELD_TYPE_NAMES), fields };
  return closedObject(properties, { allOf: requiredOptions });
}

export const FIELD = fieldSchema(FIELD_OPTIONS.code);

/** A field as a model, a command or an automation declares it. */
export type FieldContent = Static<typeof FIELD>;

export const MAX_FIELDS = 500;
export const FIELDS = Type.Array(FIELD, { maxItems: MAX_FIELDS });

/** The field at a path: `lines.item` is one of the items of a list. */
export function fieldAt(fields: readonly FieldContent[], path: string): FieldContent | undefined {
  const [first, ...inner] = path.split('.');
  let field = fields.find(({ code }) => code === first);
  for (const name of inner) field = field?.fields?.find(({ code }) => code === name);
  return field;
}
