import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Command, Page } from '../../app/application.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { sendCommand } from '../activity/send-command.ts';
import { recordsKey } from '../records/record-list.ts';
import { newKey } from './run-command.ts';

interface DeleteDialogProps {
  readonly page: Page;
  readonly command: Command;
  readonly pids: readonly string[];
  /** What the one record is called. */
  readonly name?: string | undefined;
  readonly onDone: (deleted: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Names what is deleted, and how much of it. All of it is deleted, or nothing. */
export default function DeleteDialog({ page, command, pids, name, onDone, onClose }: DeleteDialogProps) {
  const cache = useQueryClient();
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isSending, setSending] = useState(false);
  const key = useRef(newKey());

  async function remove() {
    setSending(true);
    setProblem(null);
    try {
      const sent = await sendCommand({
        path: `${encodeURIComponent(command.code)}/batch`,
        name: command.name,
        idempotencyKey: key.current,
        body: { items: pids.map((targetRecordId) => ({ targetRecordId, operationType: 'DELETE' as const })) },
      });
      await cache.invalidateQueries({ queryKey: recordsKey(page.pageKey) });
      if (sent.isDone) onDone(pids);
      else onClose();
    } catch (error) {
      key.current = newKey();
      setProblem(shown(error));
      setSending(false);
    }
  }

  const count = plural(pids.length, 'Delete {count} record', 'Delete {count} records');
  return (
    <Dialog
      title={name === undefined ? count : t('Delete {name}', { name })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="danger" disabled={isSending} onClick={() => void remove()}>
            {count}
          </Button>
        </>
      }
    >
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      <p>{t('What refers to it may forbid this. Deleted records go to the trash.')}</p>
    </Dialog>
  );
}
