import { useState } from 'react';
import { client } from '../../app/client.ts';
import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';

interface EraseDialogProps {
  readonly modelCode: string;
  readonly pid: string;
  /** What the record is called. */
  readonly name: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Erases a deleted record for good, with the reason that the audit trail keeps. */
export function EraseDialog({ modelCode, pid, name, onDone, onClose }: EraseDialogProps) {
  const [reason, setReason] = useState('');
  async function erase() {
    const purge = client.command('record:purge') as (payload: object) => Promise<unknown>;
    await purge({ modelCode, pid, reason });
    onDone();
  }
  return (
    <ActionDialog
      title={t('Erase {name} for good', { name })}
      action={t('Erase 1 record for good')}
      isDangerous
      isReady={reason.trim() !== ''}
      onAct={erase}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <p>
            {t('Its history goes, too, and what commands and webhooks have kept of it. It cannot be brought back.')}
          </p>
          <Labelled label={t('Reason')} hint={t('The audit trail keeps it.')} problem={problems['payload.reason']}>
            {(ties) => (
              <TextInput
                {...ties}
                required
                maxLength={500}
                value={reason}
                onChange={({ target }) => setReason(target.value)}
              />
            )}
          </Labelled>
        </>
      )}
    </ActionDialog>
  );
}
