import type { ReactNode } from 'react';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { statusText, toneOf } from './statuses.ts';
import styles from './StateLine.module.css';

interface StateLineProps {
  readonly status: string;
  readonly at: string | null;
  /** What is to be known of the state, such as why it failed. */
  readonly note?: string | undefined;
  /** The name, then what can be done. */
  readonly children: ReactNode;
}

/** Something that goes on or has ended, on two lines. */
export function StateLine({ status, at, note, children }: StateLineProps) {
  return (
    <div className={styles.line}>
      <div className={styles.what}>{children}</div>
      <div className={styles.state}>
        <StatusMark tone={toneOf(status)}>{statusText(status)}</StatusMark>
        {note !== undefined && <span className={styles.note}>{note}</span>}
        {at !== null && (
          <time className={styles.at} dateTime={at} title={formatWholeMoment(at)}>
            {formatMoment(at)}
          </time>
        )}
      </div>
    </div>
  );
}
