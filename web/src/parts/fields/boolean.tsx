import { t } from '../../app/texts.ts';
import { Select } from '../../ui/Select.tsx';
import { NO, YES } from './boolean-words.ts';
import type { CellProps, EditorProps, FieldKind } from './field-kind.ts';

function toText(value: unknown): string {
  if (typeof value !== 'boolean') return '';
  return value ? t('Yes') : t('No');
}

function fromText(text: string): unknown {
  const given = text.toLowerCase();
  if (YES.includes(given)) return true;
  return NO.includes(given) ? false : text;
}

function BooleanCell({ value }: CellProps) {
  return <>{toText(value)}</>;
}

function BooleanEditor({ value, onChange, ties }: EditorProps) {
  return (
    <Select
      {...ties}
      value={typeof value === 'boolean' ? String(value) : ''}
      options={[
        ['', '–'],
        ['true', t('Yes')],
        ['false', t('No')],
      ]}
      onChoose={(chosen) => onChange(chosen === '' ? null : chosen === 'true')}
    />
  );
}

export const BOOLEAN: FieldKind = {
  Cell: BooleanCell,
  Editor: BooleanEditor,
  needsName: true,
  width: 72,
  toText,
  fromText,
};
