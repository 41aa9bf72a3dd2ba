import type { ReactNode } from 'react';
import styles from './Blank.module.css';

interface BlankProps {
  readonly title: string;
  readonly advice?: string | undefined;
  /** It is all that the screen shows. */
  readonly isScreen?: boolean;
  /** The one action, to begin. */
  readonly children?: ReactNode;
}

/** In the place of what is not there: says what it is, and how to begin. */
export function Blank({ title, advice, isScreen = false, children }: BlankProps) {
  const Heading = isScreen ? 'h1' : 'h2';
  return (
    <div className={styles.blank}>
      <Heading className={styles.title}>{title}</Heading>
      {advice !== undefined && <p className={styles.advice}>{advice}</p>}
      {children !== undefined && <div className={styles.actions}>{children}</div>}
    </div>
  );
}
