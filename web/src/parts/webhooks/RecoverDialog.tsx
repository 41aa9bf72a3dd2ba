import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { client } from '../../app/client.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { sinceOf, timeOptions } from '../operate/since.ts';
import { WEBHOOKS, webhooksChanged, type Subscription } from './webhook-queries.ts';

interface RecoverDialogProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
}

/** Sends again what has failed in a time: how many that are is said first. */
export function RecoverDialog({ subscription: { pid, name }, onClose }: RecoverDialogProps) {
  const [span, setSpan] = useState('24h');
  const [isBusy, setBusy] = useState(false);
  const since = sinceOf(span) ?? new Date().toISOString();
  const { data, error } = useQuery({
    queryKey: [...WEBHOOKS, 'recoverable', pid, span],
    queryFn: ({ signal }) => ask('GET /api/webhooks/{pid}/recoverable', { params: { pid }, query: { since }, signal }),
  });
  async function recover() {
    setBusy(true);
    try {
      await client.request('POST', `/api/webhooks/${pid}/recover`, { body: { since } });
      await webhooksChanged();
      onClose();
    } catch (failure) {
      say(shown(failure).title);
      setBusy(false);
    }
  }
  const total = data?.total ?? 0;
  return (
    <Dialog
      title={t('Recover what {name} has missed', { name })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" disabled={isBusy || total === 0} onClick={() => void recover()}>
            {plural(total, 'Send {count} delivery again', 'Send {count} deliveries again')}
          </Button>
        </>
      }
    >
      <Labelled label={t('What failed in')}>
        {(ties) => <Select {...ties} value={span} options={timeOptions()} onChoose={setSpan} />}
      </Labelled>
      {error && <p role="alert">{shown(error).title}</p>}
    </Dialog>
  );
}
