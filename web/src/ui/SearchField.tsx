import { useEffect, useState } from 'react';
import { useLatest } from './use-latest.ts';
import { TextInput } from './TextInput.tsx';
import styles from './SearchField.module.css';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const PAUSE_MS = 250;

/** What is looked for, asked when nothing has been typed for a moment. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const change = useLatest(onChange);
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => change.current(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, change]);
  return (
    <span className={styles.field}>
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </span>
  );
}
