import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import styles from './AttemptBar.module.css';
import { isGood, outcomeOf } from './delivery-texts.ts';
import type { Delivery } from './webhook-queries.ts';

interface AttemptBarProps {
  readonly delivery: Delivery;
  readonly chosen: number | null;
  readonly onChoose: (number: number) => void;
}

/** The attempts over time. Pauses grow to hours: the axis is drawn by their logarithm. */
export function AttemptBar({ delivery: { attempts, nextAttemptAt, createdAt }, chosen, onChoose }: AttemptBarProps) {
  const begin = Date.parse(createdAt);
  const times = [...attempts.map(({ startedAt }) => startedAt), ...(nextAttemptAt === null ? [] : [nextAttemptAt])];
  const end = Math.max(begin + 1_000, ...times.map((at) => Date.parse(at)));
  const place = (at: string): string => {
    const share = Math.log1p(Math.max(0, Date.parse(at) - begin)) / Math.log1p(end - begin);
    return `${Math.round(share * 1_000) / 10}%`;
  };
  return (
    <div className={styles.bar}>
      <div className={styles.axis} role="group" aria-label={t('Attempts over time')}>
        {attempts.map((attempt) => (
          <button
            key={attempt.number}
            type="button"
            className={styles.mark}
            style={{ left: place(attempt.startedAt) }}
            data-tone={attempt.finishedAt === null ? 'going' : isGood(attempt) ? 'good' : 'bad'}
            aria-pressed={attempt.number === chosen}
            aria-label={t('Attempt {number}: {outcome}', { number: attempt.number, outcome: outcomeOf(attempt) })}
            title={`${outcomeOf(attempt)}, ${formatWholeMoment(attempt.startedAt)}`}
            onClick={() => onChoose(attempt.number)}
          />
        ))}
        {nextAttemptAt !== null && (
          <span
            className={styles.mark}
            data-tone="due"
            style={{ left: place(nextAttemptAt) }}
            title={formatWholeMoment(nextAttemptAt)}
          />
        )}
      </div>
      <div className={styles.ends}>
        <span>{formatMoment(createdAt)}</span>
        {nextAttemptAt === null ? (
          <span>{formatMoment(times.at(-1) ?? createdAt)}</span>
        ) : (
          <span>{t('Next attempt {moment}', { moment: formatMoment(nextAttemptAt) })}</span>
        )}
      </div>
    </div>
  );
}
