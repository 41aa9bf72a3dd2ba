import type { Field } from '../../app/application.ts';
import { formatDecimal, plainNumber } from '../../app/format.ts';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';
import { NumberInput } from './NumberInput.tsx';

function toText(value: unknown, { scale }: Field): string {
  return typeof value === 'string' ? formatDecimal(value, scale) : textOf(value);
}

function DecimalCell({ field, value }: CellProps) {
  return <>{toText(value, field)}</>;
}

function DecimalEditor(props: EditorProps) {
  return <NumberInput {...props} parse={(digits) => digits} />;
}

export const DECIMAL: FieldKind = {
  Cell: DecimalCell,
  Editor: DecimalEditor,
  width: 104,
  widest: 136,
  isNumeric: true,
  needsName: true,
  toText,
  fromText: plainNumber,
};
