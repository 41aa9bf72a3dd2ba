import type { Field, RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import styles from './ConflictNote.module.css';

type Values = Readonly<Record<string, unknown>>;

interface ConflictNoteProps {
  readonly fields: readonly Field[];
  /** The record as the form was opened with it. */
  readonly base: RecordData;
  /** The record as it is now. */
  readonly newer: RecordData;
  /** What was typed. */
  readonly changes: Values;
  /** Goes on from the newer record with these changes. */
  readonly onResolve: (changes: Values) => void;
}

/** Someone else was first: both sides by field. What only one side has changed is kept of both. */
export function ConflictNote({ fields, base, newer, changes, onResolve }: ConflictNoteProps) {
  const isChangedThere = ({ code }: Field): boolean => textOf(base[code]) !== textOf(newer[code]);
  const changed = fields.filter((field) => isChangedThere(field));
  const theirs = new Set(changed.map(({ code }) => code));
  const withoutTheirs = Object.fromEntries(Object.entries(changes).filter(([code]) => !theirs.has(code)));
  const show = (field: Field, value: unknown): string =>
    (FIELD_KINDS[field.type].toText ?? textOf)(value, field) || '–';
  return (
    <section className={styles.note} aria-label={t('Changed meanwhile')} role="alert">
      <p>{t('Someone else has changed this record since you opened it. What you typed is still here.')}</p>
      {changed.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Field')}</th>
              <th scope="col">{t('Theirs')}</th>
              <th scope="col">{t('Yours')}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map((field) => (
              <tr key={field.code}>
                <th scope="row">{fieldName(field)}</th>
                <td>{show(field, newer[field.code])}</td>
                <td>{field.code in changes ? show(field, changes[field.code]) : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className={styles.actions}>
        <Button onClick={() => onResolve(changes)}>{t('Keep mine')}</Button>
        <Button onClick={() => onResolve(withoutTheirs)}>{t('Take theirs')}</Button>
      </div>
    </section>
  );
}
