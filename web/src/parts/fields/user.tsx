import { Suspense } from 'react';
import type { Field, RecordData } from '../../app/application.ts';
import { TextInput } from '../../ui/TextInput.tsx';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';
import { Picker } from './picker.ts';

function userName({ code }: Field, record: RecordData | null): string | null {
  const user = record?.expanded?.[code] as { readonly username?: string } | null | undefined;
  return user?.username ?? null;
}

function UserCell({ field, value, record }: CellProps) {
  return <>{userName(field, record) ?? textOf(value)}</>;
}

function UserEditor(props: EditorProps) {
  return (
    <Suspense fallback={<TextInput {...props.ties} disabled />}>
      <Picker {...props} initialLabel={userName(props.field, props.record)} />
    </Suspense>
  );
}

export const USER: FieldKind = { Cell: UserCell, Editor: UserEditor, width: 120, widest: 180, isChosen: true };
