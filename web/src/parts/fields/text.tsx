import { TextArea } from '../../ui/TextArea.tsx';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';

function TextCell({ value }: CellProps) {
  return <>{textOf(value)}</>;
}

function TextEditor({ field, value, onChange, ties }: EditorProps) {
  return (
    <TextArea
      {...ties}
      rows={4}
      maxLength={field.maxLength}
      value={textOf(value)}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}

export const TEXT: FieldKind = { Cell: TextCell, Editor: TextEditor, width: 160, widest: 320, isWide: true };
