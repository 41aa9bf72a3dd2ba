import type { ValueType } from '../../../foundation/expressions/type-check.ts';
import type { FieldOptions } from '../field-types/field-options.ts';
import type { FieldType } from '../field-types/field-types.ts';
import { type Model, writableFields } from './model.ts';

/** Types of the values of fields in expressions. Numbers that are texts in JSON are used as either. */
const VALUE_TYPES: Partial<Record<FieldType, ValueType>> = {
  string: 'text',
  text: 'text',
  relation: 'text',
  user: 'text',
  file: 'text',
  integer: 'number',
  boolean: 'boolean',
  date: { like: 'date' },
  datetime: { like: 'time' },
  decimal: { like: 'number' },
  bigint: { like: 'number' },
};

interface TypedField extends Pick<FieldOptions, 'code' | 'values' | 'target'> {
  readonly type: FieldType;
  /** Those of the items of a list. */
  readonly fields?: readonly TypedField[];
}

/** What expressions know of fields that a command or an automation declares. */
export function typeOfFields(fields: Iterable<TypedField>): ValueType {
  return { fields: Object.fromEntries([...fields].map((field) => [field.code, typeOfField(field)])) };
}

function typeOfField({ type, values, fields, target }: TypedField): ValueType {
  if (target !== undefined) return { pidOf: target };
  if (fields) return { list: typeOfFields(fields) };
  return type === 'enum' && values ? { oneOf: values } : (VALUE_TYPES[type] ?? 'any');
}

/** What expressions know of a record. */
export function typeOfRecord(model: Model): ValueType {
  const pid = { code: 'pid', type: 'relation', target: model.code } as const;
  return typeOfFields(
    [...model.fields.values()].map(({ code, type, content }) => content ?? (code === pid.code ? pid : { code, type })),
  );
}

/** What expressions know of a payload that writes a record: the fields of the model's own. */
export function typeOfPayload(model: Model): ValueType {
  return typeOfFields(writableFields(model));
}
