import { useState } from 'react';
import { TextArea } from '../../ui/TextArea.tsx';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';

function JsonCell({ value }: CellProps) {
  return value === null || value === undefined ? null : <code>{JSON.stringify(value)}</code>;
}

/** What is no JSON yet stays as it was typed, and is sent as a text. */
function JsonEditor({ value, onChange, ties }: EditorProps) {
  const [text, setText] = useState(() => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2)));
  return (
    <TextArea
      {...ties}
      rows={6}
      spellCheck={false}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        onChange(parsed(target.value));
      }}
    />
  );
}

function parsed(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export const JSON_VALUE: FieldKind = {
  Cell: JsonCell,
  Editor: JsonEditor,
  width: 144,
  widest: 240,
  isWide: true,
  fromText: parsed,
  toText: (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value)),
};
