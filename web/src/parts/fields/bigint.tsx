import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';
import { NumberInput } from './NumberInput.tsx';

function BigintCell({ value }: CellProps) {
  return <>{textOf(value)}</>;
}

function BigintEditor(props: EditorProps) {
  return <NumberInput {...props} parse={(digits) => digits} />;
}

/** Numbers of things more often than amounts: without separators. */
export const BIGINT: FieldKind = {
  Cell: BigintCell,
  Editor: BigintEditor,
  width: 104,
  isNumeric: true,
  needsName: true,
};
