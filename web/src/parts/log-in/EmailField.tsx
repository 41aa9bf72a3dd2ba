import { useEffect, useRef } from 'react';
import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';

interface EmailFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The e-mail by which someone logs in: the first thing to type. */
export function EmailField({ value, onChange }: EmailFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <Labelled label={t('E-mail')}>
      {(ties) => (
        <TextInput
          {...ties}
          ref={input}
          type="email"
          name="email"
          autoComplete="username"
          required
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Labelled>
  );
}
