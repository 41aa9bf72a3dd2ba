import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import {
  findModel,
  findPage,
  nameField,
  type Application,
  type Field,
  type RecordData,
} from '../../app/application.ts';
import { applicationQuery } from '../../app/queries.ts';
import { TextInput } from '../../ui/TextInput.tsx';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';
import { Picker } from './picker.ts';
import { recordNameQuery } from './record-names.ts';

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
  const [initial] = useState(props.value);
  const isOfRecord = initial === record?.[field.code];
  const { name, isPending } = useNameOf(isOfRecord ? null : initial, field, data);
  const blank = <TextInput {...ties} disabled />;
  if (isPending) return blank;
  return (
    <Suspense fallback={blank}>
      <Picker {...props} initialLabel={isOfRecord ? relatedName(data, field, record) : name} />
    </Suspense>
  );
}

/** The name of a record that is given or was chosen before, and that nobody has read yet. */
function useNameOf(pid: unknown, { target }: Field, application: Application | undefined) {
  const model = target === undefined ? undefined : application && findModel(application, target);
  const page = model && application && findPage(application, model.code);
  const isAsked = typeof pid === 'string' && model !== undefined && page !== undefined;
  const { data: name = null, isLoading: isPending } = useQuery({
    ...recordNameQuery(page?.pageKey ?? '', model ? nameField(model) : '', String(pid)),
    enabled: isAsked,
  });
  return { name, isPending };
}

export const RELATION: FieldKind = {
  Cell: RelationCell,
  Editor: RelationEditor,
  width: 128,
  widest: 220,
  isChosen: true,
};
