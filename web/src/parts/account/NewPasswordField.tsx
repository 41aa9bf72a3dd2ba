import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';

interface NewPasswordFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
}

/** Takes a password of the length that the service asks for. */
export function NewPasswordField({ value, onChange, problem }: NewPasswordFieldProps) {
  return (
    <Labelled label={t('New password')} hint={t('12 to 128 characters')} problem={problem}>
      {(ties) => (
        <TextInput
          {...ties}
          type="password"
          autoComplete="new-password"
          minLength={12}
          maxLength={128}
          required
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Labelled>
  );
}
