import { formatNumber, plainNumber } from '../../app/format.ts';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';
import { NumberInput } from './NumberInput.tsx';

function toText(value: unknown): string {
  return typeof value === 'number' ? formatNumber(value) : textOf(value);
}

function fromText(text: string): unknown {
  const digits = plainNumber(text);
  return /^-?\d{1,15}$/.test(digits) ? Number(digits) : digits;
}

function IntegerCell({ value }: CellProps) {
  return <>{toText(value)}</>;
}

function IntegerEditor(props: EditorProps) {
  return <NumberInput {...props} parse={(digits) => (/^-?\d{1,15}$/.test(digits) ? Number(digits) : digits)} />;
}

export const INTEGER: FieldKind = {
  Cell: IntegerCell,
  Editor: IntegerEditor,
  width: 80,
  widest: 112,
  isNumeric: true,
  needsName: true,
  toText,
  fromText,
};
