import { useId, type ReactNode } from 'react';
import styles from './Labelled.module.css';

/** What ties a control to its label and to what is wrong with it. */
export interface ControlTies {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-required': boolean | undefined;
}

interface LabelledProps {
  readonly label: string;
  readonly required?: boolean | undefined;
  readonly problem?: string | undefined;
  readonly hint?: string | undefined;
  readonly children: (ties: ControlTies) => ReactNode;
}

/** A control with its label above it and its problem below it. */
export function Labelled({ label, required, problem, hint, children }: LabelledProps) {
  const id = useId();
  const note = problem ?? hint;
  const noteId = `${id}-note`;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {required && (
          <span className={styles.must} aria-hidden="true">
            {' *'}
          </span>
        )}
      </label>
      {children({
        id,
        'aria-invalid': problem !== undefined,
        'aria-describedby': note === undefined ? undefined : noteId,
        'aria-required': required === true ? true : undefined,
      })}
      {note !== undefined && (
        <p id={noteId} className={problem === undefined ? styles.hint : styles.problem}>
          {note}
        </p>
      )}
    </div>
  );
}
