import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';
import styles from './Problem.module.css';

interface ProblemProps {
  /** What failed. */
  readonly title: string;
  /** What is safe, and what to do next. */
  readonly advice?: string | undefined;
  /** Finds the request in the logs. */
  readonly traceId?: string | null | undefined;
  readonly children?: ReactNode;
}

/** Says what failed where it failed. `children` are what can be done. */
export function Problem({ title, advice, traceId, children }: ProblemProps) {
  return (
    <div role="alert" className={styles.problem}>
      <Icon name="warning" />
      <div>
        <p>{title}</p>
        {advice !== undefined && <p>{advice}</p>}
        {typeof traceId === 'string' && <p className={styles.trace}>{traceId}</p>}
      </div>
      <div className={styles.actions}>{children}</div>
    </div>
  );
}
