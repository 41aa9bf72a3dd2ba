import { useEffect, type ReactNode } from 'react';
import styles from './LogScreen.module.css';

interface LogScreenProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Chips. */
  readonly filters?: ReactNode;
  readonly children: ReactNode;
  /** What is open beside it. */
  readonly panel?: ReactNode;
}

/** A screen with a table like a log, its filters above it, and what is open at its right. */
export function LogScreen({ title, actions, filters, children, panel }: LogScreenProps) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div className={styles.screen} data-open={Boolean(panel) || undefined}>
      <div className={styles.main}>
        <header className={styles.head}>
          <h1>{title}</h1>
          {actions}
        </header>
        {filters !== undefined && <div className={styles.filters}>{filters}</div>}
        <div className={styles.rows} tabIndex={0} role="group" aria-label={title}>
          {children}
        </div>
      </div>
      {panel}
    </div>
  );
}
