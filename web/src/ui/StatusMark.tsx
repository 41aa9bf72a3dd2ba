import type { ReactNode } from 'react';
import styles from './StatusMark.module.css';

export type Tone = 'quiet' | 'going' | 'good' | 'bad' | 'waiting';

/** A dot with its word: state is never colour alone. */
export function StatusMark({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={`${styles.mark} ${styles[tone]}`}>
      <span className={styles.dot} aria-hidden="true" />
      {children}
    </span>
  );
}
