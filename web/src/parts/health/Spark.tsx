import { formatMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import type { Minute } from './operations-query.ts';
import styles from './Spark.module.css';

interface SparkProps {
  readonly label: string;
  readonly minutes: readonly Minute[];
  readonly valueOf: (minute: Minute) => number | null;
  readonly format: (value: number) => string;
  /** Any of it is bad news. */
  readonly isBad?: boolean;
}

const HEIGHT = 40;
const SHOWN = 60;

/** A figure of the last hour, minute by minute, with its newest value in words. */
export function Spark({ label, minutes, valueOf, format, isBad = false }: SparkProps) {
  const values = minutes.map((minute) => ({ at: minute.at, value: valueOf(minute) }));
  const most = Math.max(1, ...values.map(({ value }) => value ?? 0));
  const newest = values.at(-1)?.value;
  const word = newest === null || newest === undefined ? '–' : format(newest);
  return (
    <figure className={styles.spark} data-bad={(isBad && (newest ?? 0) > 0) || undefined}>
      <figcaption>
        <span>{label}</span>
        <strong>{word}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${SHOWN * 4} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('{label} of the last hour: now {now}, at most {most}', { label, now: word, most: format(most) })}
      >
        {values.map(({ at, value }, index) => {
          const height = Math.max(value === null || value === 0 ? 0 : 1, ((value ?? 0) / most) * HEIGHT);
          return (
            <rect
              key={at}
              x={(SHOWN - values.length + index) * 4}
              y={HEIGHT - height}
              width="3"
              height={height}
              className={styles.bar}
            >
              <title>{`${formatMoment(at)}: ${value === null ? '–' : format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
    </figure>
  );
}
