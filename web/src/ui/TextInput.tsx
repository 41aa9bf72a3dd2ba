import type { ComponentProps } from 'react';
import styles from './TextInput.module.css';

/** A line of text. */
export function TextInput(props: ComponentProps<'input'>) {
  return <input autoComplete="off" {...props} className={styles.input} />;
}
