import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';

interface ReasonFieldProps {
  readonly value: string;
  readonly problem?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Why something is done: it stands in the audit trail. */
export function ReasonField({ value, problem, onChange }: ReasonFieldProps) {
  return (
    <Labelled label={t('Reason')} required problem={problem} hint={t('It stands in the audit trail.')}>
      {(ties) => <TextInput {...ties} value={value} onChange={({ target }) => onChange(target.value)} />}
    </Labelled>
  );
}
