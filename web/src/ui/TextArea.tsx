import type { ComponentProps } from 'react';
import styles from './TextInput.module.css';

/** Several lines of text. */
export function TextArea(props: ComponentProps<'textarea'>) {
  return <textarea {...props} className={styles.input} />;
}
