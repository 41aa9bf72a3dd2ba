import type { ReactNode } from 'react';
import styles from './Facts.module.css';

interface FactsProps {
  /** What is null or undefined is left out. */
  readonly facts: readonly (readonly [label: string, value: ReactNode])[];
}

/** What is known of something, each with its name. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className={styles.facts}>
      {facts.map(([label, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
