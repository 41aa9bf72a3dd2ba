import { useQuery } from '@tanstack/react-query';
import { findModel, findPage, nameField, type Field } from '../../app/application.ts';
import { applicationQuery } from '../../app/queries.ts';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { RecordName } from '../fields/RecordName.tsx';

interface ChangedValueProps {
  readonly field: Field;
  readonly value: unknown;
  /** What people call records and people whose pids they are. */
  readonly names: ReadonlyMap<string, string>;
}

/** A value that a field had, as people read it. */
export function ChangedValue({ field, value, names }: ChangedValueProps) {
  const { data: application } = useQuery(applicationQuery);
  const { toText = textOf } = FIELD_KINDS[field.type];
  const text = toText(value, field);
  if (text === '') return <>–</>;
  const name = typeof value === 'string' ? names.get(value) : undefined;
  const page = application && field.target !== undefined && findPage(application, field.target);
  const model = application && field.target !== undefined && findModel(application, field.target);
  if (name !== undefined || !page || !model) return <>{name ?? text}</>;
  return <RecordName pageKey={page.pageKey} pid={text} field={nameField(model)} />;
}
