import { findField, type Command, type Model, type RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';

interface TransitionNoteProps extends Pick<NonNullable<Command['transition']>, 'field' | 'to'> {
  readonly model: Model;
  readonly record: RecordData;
}

/** What a transition changes by itself: `State: new → open`. */
export function TransitionNote({ model, record, field: code, to }: TransitionNoteProps) {
  const field = findField(model, code);
  if (!field) return null;
  const { Cell } = FIELD_KINDS[field.type];
  return (
    <p>
      {fieldName(field)}: <Cell field={field} value={record[code]} record={record} /> →{' '}
      <Cell field={field} value={to} record={record} />
    </p>
  );
}
