import styles from './Progress.module.css';

interface ProgressProps {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** How far something is, with its numbers. */
export function Progress({ label, done, total }: ProgressProps) {
  const share = total === 0 ? 100 : Math.min(100, (done / total) * 100);
  const format = new Intl.NumberFormat(document.documentElement.lang);
  return (
    <div className={styles.progress}>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={Math.min(done, total)}
        className={styles.bar}
      >
        <div className={styles.done} style={{ width: `${share}%` }} />
      </div>
      <span className={styles.numbers}>
        {format.format(done)} / {format.format(total)}
      </span>
    </div>
  );
}
