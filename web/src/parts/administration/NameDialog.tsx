import { useState } from 'react';
import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';

interface NameDialogProps {
  readonly title: string;
  readonly action: string;
  readonly name?: string | undefined;
  /** @throws KeelsonError */
  readonly onAct: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Something that is made of a name, or gets another one. */
export function NameDialog({ title, action, name: known = '', onAct, onClose }: NameDialogProps) {
  const [name, setName] = useState(known);
  return (
    <ActionDialog
      title={title}
      action={action}
      isReady={name.trim() !== '' && name !== known}
      onAct={() => onAct(name.trim())}
      onClose={onClose}
    >
      {(problems) => (
        <Labelled label={t('Name')} required problem={problems.name}>
          {(ties) => <TextInput {...ties} value={name} onChange={({ target }) => setName(target.value)} />}
        </Labelled>
      )}
    </ActionDialog>
  );
}
