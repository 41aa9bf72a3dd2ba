import type { FieldOptions } from '../../src/platform/metadata/field-types/field-options.ts';
import type { FieldType } from '../../src/platform/metadata/field-types/field-types.ts';
import { objectType, sorted, textLiteral, unionOf, type Member } from './source-text.ts';

type TypedField = FieldOptions & { readonly type: FieldType; readonly fields?: readonly TypedField[] };

interface PrintedType {
  /** As a record has it. */
  readonly read: string;
  /** As a payload takes it, where that is more. */
  readonly written?: string;
}

const TYPES: Record<FieldType, (field: TypedField) => PrintedType> = {
  string: () => ({ read: 'string' }),
  text: () => ({ read: 'string' }),
  integer: () => ({ read: 'number' }),
  bigint: () => ({ read: 'BigInteger', written: 'BigIntegerInput' }),
  decimal: () => ({ read: 'Decimal', written: 'DecimalInput' }),
  boolean: () => ({ read: 'boolean' }),
  date: () => ({ read: 'CalendarDate' }),
  datetime: () => ({ read: 'DateTime' }),
  enum: ({ values = [] }) => ({ read: unionOf(values.map(textLiteral)) }),
  json: () => ({ read: 'unknown' }),
  relation: ({ target = '' }) => ({ read: `Pid<${textLiteral(target)}>` }),
  user: () => ({ read: 'UserPid' }),
  file: () => ({ read: 'FilePid' }),
  list: ({ fields = [] }) => ({ read: `Array<${objectType(payloadMembers(fields))}>` }),
};

/** A field's value in a record. */
export function readType(field: TypedField): string {
  return orNull(TYPES[field.type](field).read, field);
}

/** A payload of these fields; one that must be there has no `?`. */
export function payloadMembers(fields: readonly TypedField[]): Member[] {
  return sorted(fields.map((field) => [field.code, field] as const)).map(([name, field]) => {
    const { read, written = read } = TYPES[field.type](field);
    const optional = !field.required || field.default !== undefined;
    return { name, type: orNull(written, field), optional };
  });
}

function orNull(type: string, { required = false }: TypedField): string {
  return required ? type : unionOf([type, 'null']);
}
