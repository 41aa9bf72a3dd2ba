import { useState, type SubmitEvent } from 'react';
import { shown, type ShownError } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { TextInput } from '../../ui/TextInput.tsx';

interface SaveViewDialogProps {
  readonly onSave: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

const FORM = 'save-view';

/** A name for what is seen. */
export default function SaveViewDialog({ onSave, onClose }: SaveViewDialogProps) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<ShownError | null>(null);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    onSave(name).catch((error: unknown) => setProblem(shown(error)));
  };
  return (
    <Dialog
      title={t('Save as a new view')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" form={FORM} look="primary" disabled={name.trim() === ''}>
            {t('Save the view')}
          </Button>
        </>
      }
    >
      <form id={FORM} onSubmit={save}>
        {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
        <Labelled
          label={t('Name')}
          hint={t('Only you see it. Filters, order, columns, groups and the shape are kept.')}
        >
          {(ties) => <TextInput {...ties} value={name} onChange={({ target }) => setName(target.value)} />}
        </Labelled>
      </form>
    </Dialog>
  );
}
