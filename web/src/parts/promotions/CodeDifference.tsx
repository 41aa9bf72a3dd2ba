import { plural, t } from '../../app/texts.ts';
import styles from './CodeDifference.module.css';
import { lineDifferences } from './line-differences.ts';

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

/** Two texts as one, by line. */
export function CodeDifference({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = lineDifferences(before, after);
  if (lines.every(({ kind }) => kind === 'gap')) return <p className={styles.none}>{t('Only its version differs.')}</p>;
  return (
    <div className={styles.code} tabIndex={0} role="group" aria-label={t('Before and after')}>
      {lines.map((line, index) =>
        line.kind === 'gap' ? (
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className={styles.gap}>
            {plural(line.count, '{count} line is the same', '{count} lines are the same')}
          </div>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className={styles.line} data-kind={line.kind}>
            <span className={styles.number}>{line.number}</span>
            <span className={styles.sign} aria-hidden="true">
              {SIGNS[line.kind]}
            </span>
            {line.kind === 'added' && <span className="visually-hidden">{t('added')}: </span>}
            {line.kind === 'removed' && <span className="visually-hidden">{t('removed')}: </span>}
            <span className={styles.text}>{line.text}</span>
          </div>
        ),
      )}
    </div>
  );
}
