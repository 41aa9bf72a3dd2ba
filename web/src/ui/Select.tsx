import type { ComponentProps } from 'react';
import styles from './TextInput.module.css';

interface SelectProps extends Omit<ComponentProps<'select'>, 'onChange' | 'children'> {
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChoose: (value: string) => void;
}

/** One of a few. The browser's own: it is at home on every device. */
export function Select({ options, onChoose, ...rest }: SelectProps) {
  return (
    <select {...rest} className={styles.input} onChange={({ target }) => onChoose(target.value)}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
