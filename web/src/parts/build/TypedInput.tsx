import { useState } from 'react';
import type { ControlTies } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';

interface TypedInputProps extends Partial<ControlTies> {
  /** Where none is beside it. */
  readonly label?: string;
  readonly value: string;
  readonly isInvalid?: boolean | undefined;
  readonly isNumber?: boolean | undefined;
  /** When it is left, and at Enter: each letter by itself would be a change of the text. */
  readonly onChange: (value: string) => void;
}

/** A line of text that is taken when it is complete. `Esc` puts back what was there. */
export function TypedInput({ label, value, isInvalid, isNumber, onChange, ...ties }: TypedInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const take = () => {
    if (typed !== null && typed !== value) onChange(typed);
    setTyped(null);
  };
  return (
    <TextInput
      {...ties}
      type={isNumber ? 'number' : 'text'}
      step="any"
      aria-label={label}
      aria-invalid={isInvalid}
      value={typed ?? value}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
        else if (event.key === 'Escape' && typed !== null) {
          event.stopPropagation();
          setTyped(null);
        }
      }}
    />
  );
}
