import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { TextInput } from '../../ui/TextInput.tsx';
import type { CellProps, EditorProps, FieldKind } from './field-kind.ts';

function toText(value: unknown): string {
  return typeof value === 'string' ? formatMoment(value) : '';
}

function DatetimeCell({ value }: CellProps) {
  if (typeof value !== 'string') return null;
  return (
    <time dateTime={value} title={formatWholeMoment(value)}>
      {formatMoment(value)}
    </time>
  );
}

/** In the zone of the reader, as the control has it: `2026-01-31T09:30`. */
function localOf(iso: unknown): string {
  const time = typeof iso === 'string' ? Date.parse(iso) : NaN;
  if (Number.isNaN(time)) return '';
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offsetMs).toISOString().slice(0, 16);
}

function DatetimeEditor({ value, onChange, ties }: EditorProps) {
  return (
    <TextInput
      {...ties}
      type="datetime-local"
      value={localOf(value)}
      onChange={({ target }) => onChange(target.value === '' ? null : new Date(target.value).toISOString())}
    />
  );
}

export const DATETIME: FieldKind = { Cell: DatetimeCell, Editor: DatetimeEditor, width: 164, toText };
