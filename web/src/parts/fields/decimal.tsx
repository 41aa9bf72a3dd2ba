import { formatDecimal, plainNumber } from '../../app/format.ts';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';
import { NumberInput } from './NumberInput.tsx';

function toText(value: unknown): string {
  return typeof value === 'string' ? formatDecimal(value) : textOf(value);
}

function DecimalCell({ value }: CellProps) {
  return <>{toText(value)}</>;
}

function DecimalEditor(props: EditorProps) {
  return <NumberInput {...props} parse={(digits) => digits} />;
}

export const DECIMAL: FieldKind = {
  Cell: DecimalCell,
  Editor: DecimalEditor,
  width: 112,
  isNumeric: true,
  toText,
  fromText: plainNumber,
};
