import { TextInput } from '../../ui/TextInput.tsx';
import { textOf, type EditorProps } from './field-kind.ts';

interface NumberInputProps extends EditorProps {
  /** What is typed, as a payload takes it; the service judges what is no number. */
  readonly parse: (digits: string) => unknown;
}

/** Digits as they are typed: an input of type number would lose some. */
export function NumberInput({ value, onChange, ties, parse, field }: NumberInputProps) {
  return (
    <TextInput
      {...ties}
      inputMode={field.type === 'decimal' ? 'decimal' : 'numeric'}
      value={textOf(value)}
      onChange={({ target }) => onChange(target.value.trim() === '' ? null : parse(target.value.trim()))}
    />
  );
}
