import type { ReactNode } from 'react';
import styles from './Blank.module.css';

interface BlankProps {
  readonly title: string;
  readonly advice?: string | undefined;
  /** The one action, to begin. */
  readonly children?: ReactNode;
}

/** In the place of what is not there: says what it is, and how to begin. */
export function Blank({ title, advice, children }: BlankProps) {
  return (
    <div className={styles.blank}>
      <h2 className={styles.title}>{title}</h2>
      {advice !== undefined && <p className={styles.advice}>{advice}</p>}
      {children !== undefined && <div className={styles.actions}>{children}</div>}
    </div>
  );
}
