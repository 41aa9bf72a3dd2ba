import { formatNumber } from '../../app/format.ts';
import { plural, t, type TextKey } from '../../app/texts.ts';
import type { ChangeDetails } from './promotions-query.ts';
import styles from './TablePreview.module.css';

type Table = NonNullable<ChangeDetails['table']>;

const LOCKS: Readonly<Record<NonNullable<Table['lock']>, TextKey>> = {
  share: 'Reads go on; writes wait until it is applied.',
  'share row exclusive': 'Reads go on; writes wait until it is applied.',
  'access exclusive': 'Reads and writes wait until it is applied.',
};

/** The statements that a table gets, as they will run: with the lock, and how many records there are. */
export function TablePreview({ table: { steps, lock, rows, isEstimate } }: { readonly table: Table }) {
  const now = steps.filter(({ isLater }) => !isLater);
  const later = steps.filter(({ isLater }) => isLater);
  const count = rows ?? 0;
  const records = plural(count, '{count} record', '{count} records');
  return (
    <section className={styles.table} aria-label={t('The table')}>
      <h3>
        {t('The table')}
        {rows !== null && (
          <span>{isEstimate ? t('about {count} records', { count: formatNumber(count) }) : records}</span>
        )}
      </h3>
      {lock !== null && (
        <p className={styles.lock}>
          <code>{lock}</code> {t(LOCKS[lock])}
        </p>
      )}
      <Statements steps={now} />
      {later.length > 0 && (
        <>
          <p className={styles.lock}>{t('Built afterwards, while reads and writes go on:')}</p>
          <Statements steps={later} />
        </>
      )}
    </section>
  );
}

function Statements({ steps }: { readonly steps: Table['steps'] }) {
  if (steps.length === 0) return null;
  return (
    <pre className={styles.statements} tabIndex={0}>
      {steps.map(({ statement }) => `${statement.trim()};`).join('\n')}
    </pre>
  );
}
