import { useState } from 'react';
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

/**
 * Someone else was first: both sides by field. What only one side has changed is kept of both; where both
 * have, one is chosen.
 */
export function ConflictNote({ fields, base, newer, changes, onResolve }: ConflictNoteProps) {
  const theirs = fields.filter(({ code }) => textOf(base[code]) !== textOf(newer[code]));
  const disputed = theirs.filter(({ code }) => code in changes && textOf(changes[code]) !== textOf(newer[code]));
  const [given, setGiven] = useState<ReadonlySet<string>>(new Set());
  const without = (codes: ReadonlySet<string>): Values =>
    Object.fromEntries(Object.entries(changes).filter(([code]) => !codes.has(code)));
  const show = (field: Field, value: unknown): string =>
    (FIELD_KINDS[field.type].toText ?? textOf)(value, field) || '–';
  const choose = (code: string, isTheirs: boolean) => {
    const next = new Set(given);
    if (isTheirs) next.add(code);
    else next.delete(code);
    setGiven(next);
  };
  return (
    <section className={styles.note} aria-label={t('Changed meanwhile')} role="alert">
      <p>{t('Someone else has changed this record since you opened it. What you typed is still here.')}</p>
      {theirs.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Field')}</th>
              <th scope="col">{t('Theirs')}</th>
              <th scope="col">{t('Yours')}</th>
            </tr>
          </thead>
          <tbody>
            {theirs.map((field) => {
              const { code } = field;
              const sides = [
                [true, show(field, newer[code]), t('Theirs')],
                [false, code in changes ? show(field, changes[code]) : '–', t('Yours')],
              ] as const;
              return (
                <tr key={code}>
                  <th scope="row">{fieldName(field)}</th>
                  {sides.map(([isTheirs, text, side]) => (
                    <td key={side}>
                      {disputed.includes(field) ? (
                        <label className={styles.side}>
                          <input
                            type="radio"
                            name={`merge-${code}`}
                            aria-label={`${fieldName(field)}: ${side}`}
                            checked={given.has(code) === isTheirs}
                            onChange={() => choose(code, isTheirs)}
                          />
                          {text}
                        </label>
                      ) : (
                        text
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <div className={styles.actions}>
        {disputed.length > 1 && (
          <Button look="primary" onClick={() => onResolve(without(given))}>
            {t('Keep what is marked')}
          </Button>
        )}
        <Button onClick={() => onResolve(changes)}>{t('Keep mine')}</Button>
        <Button onClick={() => onResolve(without(new Set(theirs.map(({ code }) => code))))}>{t('Take theirs')}</Button>
      </div>
    </section>
  );
}
