import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { momentOf, wallTimeOf } from '../../app/wall-time.ts';
import { TextInput } from '../../ui/TextInput.tsx';
import type { CellProps, EditorProps, FieldKind } from './field-kind.ts';

function toText(value: unknown): string {
  return typeof value === 'string' ? formatMoment(value) : '';
}

function fromText(text: string): unknown {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

function DatetimeCell({ value }: CellProps) {
  if (typeof value !== 'string') return null;
  return (
    <time dateTime={value} title={formatWholeMoment(value)}>
      {formatMoment(value)}
    </time>
  );
}

function DatetimeEditor({ value, onChange, ties }: EditorProps) {
  return (
    <TextInput
      {...ties}
      type="datetime-local"
      value={wallTimeOf(value)}
      onChange={({ target }) => onChange(target.value === '' ? null : momentOf(target.value))}
    />
  );
}

export const DATETIME: FieldKind = {
  Cell: DatetimeCell,
  Editor: DatetimeEditor,
  needsName: true,
  width: 152,
  toText,
  fromText,
};
