import { useNavigate } from '@tanstack/react-router';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { webhooksChanged, type Subscription } from './webhook-queries.ts';

interface DeleteDialogProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
}

/** Asks before a subscription is gone. */
export function DeleteDialog({ subscription: { pid, name }, onClose }: DeleteDialogProps) {
  const navigate = useNavigate();
  async function remove() {
    onClose();
    try {
      await ask('DELETE /api/webhooks/{pid}', { params: { pid } });
      await navigate({ to: '/operate/webhooks' });
      await webhooksChanged();
    } catch (error) {
      say(shown(error).title);
    }
  }
  return (
    <Dialog
      title={t('Delete {name}', { name })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="danger" onClick={() => void remove()}>
            {t('Delete {name}', { name })}
          </Button>
        </>
      }
    >
      <p>{t('Nothing more is sent, and its log cannot be read any more.')}</p>
    </Dialog>
  );
}
