import { TextInput } from '../../ui/TextInput.tsx';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';

function StringCell({ value }: CellProps) {
  return <>{textOf(value)}</>;
}

function StringEditor({ field, value, onChange, ties }: EditorProps) {
  return (
    <TextInput
      {...ties}
      maxLength={field.maxLength}
      value={textOf(value)}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}

export const STRING: FieldKind = { Cell: StringCell, Editor: StringEditor, width: 160, widest: 240 };
