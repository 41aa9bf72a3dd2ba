import type { ReactNode } from 'react';
import styles from './Rows.module.css';

interface RowProps {
  readonly name: ReactNode;
  /** What else is known of it, in muted words. */
  readonly about?: ReactNode;
  readonly state?: ReactNode;
  readonly actions?: ReactNode;
  /** Below it. */
  readonly children?: ReactNode;
}

/** The rows of a list. */
export function Rows({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  );
}

/** One thing that is administered, with what can be done with it. */
export function Row({ name, about, state, actions, children }: RowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.name}>{name}</div>
      <div className={styles.about}>{about}</div>
      <div className={styles.state}>{state}</div>
      <div className={styles.actions}>{actions}</div>
      {children !== undefined && <div className={styles.below}>{children}</div>}
    </li>
  );
}
