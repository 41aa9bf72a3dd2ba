import type { ReactNode } from 'react';
import styles from './ScreenHead.module.css';

interface ScreenHeadProps {
  /** A link to the screen that this one belongs to. */
  readonly back: ReactNode;
  readonly title: ReactNode;
  /** How it stands, and what can be done with it: the head is a bar then. */
  readonly children?: ReactNode;
}

/** The head of a screen that belongs to another one. */
export function ScreenHead({ back, title, children }: ScreenHeadProps) {
  return (
    <header className={children === undefined ? styles.head : styles.bar}>
      <span className={styles.back}>{back}</span>
      <h1>{title}</h1>
      {children}
    </header>
  );
}
