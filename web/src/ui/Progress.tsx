import styles from './Progress.module.css';

interface ProgressProps {
  readonly label: string;
  readonly done: number;
  /** Null: not known yet. */
  readonly total: number | null;
  /** How a number is written. */
  readonly format?: (value: number) => string;
}

/** How far something is, with its numbers. */
export function Progress({ label, done, total, format = inDigits }: ProgressProps) {
  const share = total === null ? 0 : total === 0 ? 100 : Math.min(100, (done / total) * 100);
  const numbers = total === null ? format(done) : `${format(done)} / ${format(total)}`;
  return (
    <div className={styles.progress}>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        {...(total !== null && { 'aria-valuemax': total, 'aria-valuenow': Math.min(done, total) })}
        aria-valuetext={numbers}
        className={styles.bar}
      >
        <div className={styles.done} style={{ width: `${share}%` }} />
      </div>
      <span className={styles.numbers}>{numbers}</span>
    </div>
  );
}

function inDigits(value: number): string {
  return new Intl.NumberFormat(document.documentElement.lang).format(value);
}
