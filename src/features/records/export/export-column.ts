import { FIELD_TYPES, type FieldType } from '../../../platform/metadata/field-types/field-types.ts';

/** A column of an exported table: one field. */
export interface ExportColumn {
  readonly code: string;
  /** What stands in the first row. */
  readonly title: string;
  readonly type: FieldType;
}

/** A value as text; JSON values as JSON, whatever they are. */
export function textOfValue({ type }: Pick<ExportColumn, 'type'>, value: unknown): string {
  return type !== 'json' && typeof value === 'string' ? value : JSON.stringify(value);
}

/** Numbers are no formulas, whatever they begin with. */
export function isNumber({ type }: Pick<ExportColumn, 'type'>): boolean {
  return FIELD_TYPES[type].cell === 'number';
}
