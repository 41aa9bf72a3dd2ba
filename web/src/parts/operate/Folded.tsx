import type { ReactNode } from 'react';
import styles from './Folded.module.css';

interface FoldedProps {
  readonly title: ReactNode;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** Something that is there when it is wanted. */
export function Folded({ title, isOpen = false, children }: FoldedProps) {
  return (
    <details className={styles.folded} open={isOpen}>
      <summary>{title}</summary>
      <div>{children}</div>
    </details>
  );
}

/** A text as the machine has it. */
export function Code({ children }: { readonly children: string }) {
  return (
    // Long lines are scrolled by the keyboard, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={styles.code} tabIndex={0}>
      {children}
    </pre>
  );
}
