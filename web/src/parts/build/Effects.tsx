import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { shown } from '../../app/errors.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { ConflictChoices } from '../promotions/ConflictChoices.tsx';
import { kindName, markOf } from '../promotions/promotion-words.ts';
import { TablePreview } from '../promotions/TablePreview.tsx';
import type { Plan } from './build-query.ts';
import { DraftChoice } from './DraftChoice.tsx';
import { nameOf, type Draft } from './drafts.ts';
import styles from './Effects.module.css';
import { SaveButton } from './SaveButton.tsx';
import type { DraftPlan } from './use-plan.ts';

interface EffectsProps {
  readonly drafts: readonly Draft[];
  readonly planned: DraftPlan;
}

/** What saving the drafts does, before it is done: tables, locks, records, what breaks. */
export function Effects({ drafts, planned }: EffectsProps) {
  const { plan, error, notes, isChecking, unreadable, retry } = planned;
  const [agreed, setAgreed] = useState<ReadonlySet<string>>(new Set());
  const wrong = [...notes.values()].flat().filter(({ tone }) => tone === 'bad').length + unreadable.length;
  const problem = error && shown(error);
  return (
    <section className={styles.effects} aria-label={t('What saving does')}>
      <header className={styles.head}>
        <h2>{t('What saving does')}</h2>
        {drafts.length > 0 && (
          <span role="status">
            {isChecking ? (
              <StatusMark tone="going">{t('Checking')}</StatusMark>
            ) : wrong > 0 ? (
              <StatusMark tone="bad">{plural(wrong, '{count} problem', '{count} problems')}</StatusMark>
            ) : (
              plan &&
              (plan.needsPromotion ? (
                <StatusMark tone="waiting">{t('Cannot be saved here')}</StatusMark>
              ) : (
                <StatusMark tone="good">{t('Can be saved')}</StatusMark>
              ))
            )}
          </span>
        )}
      </header>
      <div className={styles.body} tabIndex={0} role="group" aria-label={t('What saving does')}>
        {problem && (
          <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId}>
            <Button onClick={retry}>{t('Try again')}</Button>
          </Problem>
        )}
        {drafts.length === 0 && <p className={styles.none}>{t('Nothing is changed yet.')}</p>}
        {drafts.length > 0 && <DraftChoice drafts={drafts} planned={planned} />}
        {plan ? (
          <Planned plan={plan} agreed={agreed} onAgree={setAgreed} />
        ) : (
          drafts.length > 0 && isChecking && <Skeleton width={60} />
        )}
      </div>
      {drafts.length > 0 && (
        <footer className={styles.foot}>
          <SaveButton planned={planned} isSound={wrong === 0 && !isChecking} agreed={agreed} />
        </footer>
      )}
    </section>
  );
}

interface PlannedProps {
  readonly plan: Plan;
  readonly agreed: ReadonlySet<string>;
  readonly onAgree: (agreed: ReadonlySet<string>) => void;
}

function Planned({ plan, agreed, onAgree }: PlannedProps) {
  const { changes, conflicts, needsPromotion, lockReason, environment } = plan;
  const tables = changes.filter(({ table }) => table !== null);
  const consents = conflicts.filter(({ severity }) => severity === 'consent');
  return (
    <>
      {needsPromotion && (
        <p className={styles.warning}>
          {lockReason === null
            ? t('{environment} changes by promotions alone: nothing can be saved here.', { environment })
            : t('{environment} is locked: {reason}', { environment, reason: lockReason })}
        </p>
      )}
      {changes.length === 0 && <p className={styles.none}>{t('Nothing differs from what is saved.')}</p>}
      {/* What else changes: resources that follow a rename. */}
      <ConflictChoices conflicts={conflicts.map((one) => ({ ...one, resolutions: [] }))} choices={new Map()} />
      {consents.length > 0 && (
        <fieldset className={styles.consents}>
          <legend>{t('You agree to this')}</legend>
          {[...new Map(consents.map((one) => [nameOf(one), one]))].map(([name, { code }]) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={agreed.has(name)}
                onChange={({ target }) => {
                  const next = new Set(agreed);
                  if (target.checked) next.add(name);
                  else next.delete(name);
                  onAgree(next);
                }}
              />
              {t('Values of {name} get out of reach or out of use', { name: code })}
            </label>
          ))}
        </fieldset>
      )}
      {tables.map(({ pid, code, table }) => (
        <div key={pid} className={styles.table}>
          {tables.length > 1 && <p className={styles.of}>{code}</p>}
          {table && <TablePreview table={table} />}
        </div>
      ))}
      {changes.some(({ renamedFrom }) => renamedFrom !== undefined) && (
        <ul className={styles.renames}>
          {changes
            .filter(({ renamedFrom }) => renamedFrom !== undefined)
            .map((change) => (
              <li key={change.pid}>
                <Link to="/build/$type/$code" params={{ type: change.resourceType, code: change.code }} search={{}}>
                  {change.code}
                </Link>{' '}
                {kindName(change.resourceType)} · {markOf(change)}
              </li>
            ))}
        </ul>
      )}
    </>
  );
}
