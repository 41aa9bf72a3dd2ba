import { t } from '../../app/texts.ts';
import { CodeDifference } from './CodeDifference.tsx';
import type { ContentDifference } from './content-differences.ts';
import styles from './FieldDifferences.module.css';
import type { Change } from './promotions-query.ts';

interface FieldDifferencesProps {
  readonly differences: readonly ContentDifference[];
  readonly action: Change['action'];
}

/** Longer texts are shown by line. */
const SHORT = 160;
/** A longer list is written on several lines. */
const ONE_LINE = 48;

/** Where a content differs, as a table of before and after. */
export function FieldDifferences({ differences, action }: FieldDifferencesProps) {
  if (differences.length === 0) return <p className={styles.none}>{t('Only its version differs.')}</p>;
  const isWhole = action !== 'UPDATE';
  return (
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={t('Before and after')}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('Field')}</th>
            {action !== 'ADD' && <th scope="col">{t('Before')}</th>}
            {action !== 'REMOVE' && <th scope="col">{t('After')}</th>}
          </tr>
        </thead>
        <tbody>
          {differences.map(({ path, before, after }) => {
            const isLong = !isWhole && typeof before === 'string' && typeof after === 'string' && isCode(before, after);
            return (
              <tr key={path.join('/')}>
                <th scope="row">{path.join(' › ')}</th>
                {isLong ? (
                  <td colSpan={2}>
                    <CodeDifference before={before} after={after} />
                  </td>
                ) : (
                  <>
                    {action !== 'ADD' && <Value value={before} className={styles.before} />}
                    {action !== 'REMOVE' && <Value value={after} className={styles.after} />}
                  </>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function isCode(before: string, after: string): boolean {
  return before.includes('\n') || after.includes('\n') || before.length > SHORT || after.length > SHORT;
}

function Value({ value, className }: { readonly value: unknown; readonly className: string | undefined }) {
  if (value === undefined || value === null) {
    return (
      <td className={styles.nothing}>
        <span aria-hidden="true">–</span>
        <span className="visually-hidden">{t('nothing')}</span>
      </td>
    );
  }
  const text = textOf(value);
  const isText = typeof value === 'object' || isCode(text, '');
  return <td className={className}>{isText ? <pre>{text}</pre> : <span>{text}</span>}</td>;
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (typeof value === 'string') return value === '' ? '""' : value;
  const line = JSON.stringify(value);
  return Array.isArray(value) && line.length <= ONE_LINE ? line : JSON.stringify(value, null, 2);
}
