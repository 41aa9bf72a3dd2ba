import type { ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import type { FieldTypeDefinition } from '../field-types/field-type.ts';
import { FIELD_TYPES, type FieldType } from '../field-types/field-types.ts';
import { underPresentCodes } from './former-codes.ts';
import { declaredFields, type Model } from './model.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Models {
  readonly models: ReadonlyMap<string, Model>;
}

interface TypedField {
  readonly code: string;
  readonly type: FieldType;
  readonly renamedFrom?: string | undefined;
  /** Those of the items of a list. */
  readonly fields?: readonly TypedField[];
}

/**
 * The values of fields as expressions read them: decimals and bigints as numbers, and what was written
 * before a field was renamed under its present code.
 */
export function valuesOfFields(fields: readonly TypedField[], given: Fields): Record<string, unknown> {
  const values = underPresentCodes(given, fields);
  const read: Record<string, unknown> = { ...values };
  for (const { code, type, fields: ofItems } of fields) {
    const fieldType: FieldTypeDefinition = FIELD_TYPES[type];
    const value = values[code];
    if (value === null || value === undefined) continue;
    if (ofItems) read[code] = (value as readonly Fields[]).map((item) => valuesOfFields(ofItems, item));
    else read[code] = fieldType.toExpressionValue?.(value) ?? value;
  }
  return read;
}

/** A record as expressions read it. Its `id` and its tenant stay texts: they are names. */
export function valuesOfRecord(model: Model, record: Fields): Record<string, unknown> {
  return valuesOfFields(declaredFields(model), record);
}

/** A JSON value as expressions read it: the records in it, which its origin names, are read as such. */
export function valuesInRecords(value: unknown, origin: ValueOrigin, metadata: Models): unknown {
  return mapRecords(value, origin, metadata, valuesOfRecord);
}

/**
 * A JSON value in which the records that its origin names are read by `read`; the very same value where that
 * changes none.
 */
export function mapRecords(
  value: unknown,
  origin: ValueOrigin,
  metadata: Models,
  read: (model: Model, record: Fields) => Fields,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { records = [], members = {}, items } = origin;
  if (Array.isArray(value)) {
    if (!items) return value;
    const mapped = value.map((item) => mapRecords(item, items, metadata, read));
    return mapped.every((item, index) => item === value[index]) ? value : mapped;
  }
  let record = value as Fields;
  for (const code of records) {
    const model = metadata.models.get(code);
    if (model) record = read(model, record);
  }
  const parts = Object.entries(members).flatMap(([name, of]) => {
    const part = Object.hasOwn(record, name) ? record[name] : undefined;
    const mapped = mapRecords(part, of, metadata, read);
    return mapped === part ? [] : [[name, mapped] as const];
  });
  return parts.length === 0 ? record : { ...record, ...Object.fromEntries(parts) };
}
