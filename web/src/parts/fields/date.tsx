import { formatDate, parseDay } from '../../app/format.ts';
import { TextInput } from '../../ui/TextInput.tsx';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';

function toText(value: unknown): string {
  return typeof value === 'string' ? formatDate(value) : '';
}

function DateCell({ value }: CellProps) {
  return <>{toText(value)}</>;
}

function DateEditor({ value, onChange, ties }: EditorProps) {
  return (
    <TextInput
      {...ties}
      type="date"
      value={textOf(value)}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}

export const DATE: FieldKind = {
  Cell: DateCell,
  Editor: DateEditor,
  needsName: true,
  width: 104,
  toText,
  fromText: parseDay,
};
