import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { findModel, nameField, type Application, type Field, type RecordData } from '../../app/application.ts';
import { applicationQuery } from '../../app/queries.ts';
import { TextInput } from '../../ui/TextInput.tsx';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';

const Picker = lazy(() => import('./ChoicePicker.tsx'));

/** What people call the record that a relation leads to; its pid where they may not see it. */
function relatedName(application: Application | undefined, field: Field, record: RecordData | null): string | null {
  const related = record?.expanded?.[field.code] as RecordData | null | undefined;
  const model = field.target === undefined ? undefined : application && findModel(application, field.target);
  return related && model ? textOf(related[nameField(model)]) : null;
}

function RelationCell({ field, value, record }: CellProps) {
  const { data } = useQuery(applicationQuery);
  return <>{relatedName(data, field, record) ?? textOf(value)}</>;
}

function RelationEditor(props: EditorProps) {
  const { data } = useQuery(applicationQuery);
  const { field, record, ties } = props;
  return (
    <Suspense fallback={<TextInput {...ties} disabled />}>
      <Picker {...props} initialLabel={relatedName(data, field, record)} />
    </Suspense>
  );
}

export const RELATION: FieldKind = { Cell: RelationCell, Editor: RelationEditor, width: 180, isChosen: true };
