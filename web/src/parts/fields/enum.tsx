import type { Field } from '../../app/application.ts';
import { Select } from '../../ui/Select.tsx';
import styles from './enum.module.css';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';

/** Far apart for neighbours; they tell values apart and judge none of them. */
const HUES = [240, 85, 155, 330, 25, 200, 290, 60, 120, 0];

function toText(value: unknown, { labels = {} }: Field): string {
  const text = textOf(value);
  return labels[text] ?? text;
}

function fromText(text: string, field: Field): unknown {
  const given = text.toLowerCase();
  return (
    (field.values ?? []).find((value) => [value, toText(value, field)].some((one) => one.toLowerCase() === given)) ??
    text
  );
}

function EnumCell({ field, value }: CellProps) {
  if (value === null || value === undefined) return null;
  const index = Math.max(0, (field.values ?? []).indexOf(textOf(value)));
  const hue = HUES[index % HUES.length] ?? 0;
  return (
    <>
      <span className={styles.dot} style={{ background: `oklch(0.66 0.14 ${hue})` }} aria-hidden="true" />
      {toText(value, field)}
    </>
  );
}

function EnumEditor({ field, value, onChange, ties }: EditorProps) {
  const values = (field.values ?? []).map((one) => [one, toText(one, field)] as const);
  return (
    <Select
      {...ties}
      value={textOf(value)}
      options={[['', '–'], ...values]}
      onChoose={(chosen) => onChange(chosen === '' ? null : chosen)}
    />
  );
}

export const ENUM: FieldKind = { Cell: EnumCell, Editor: EnumEditor, width: 96, toText, fromText };
