import { ValidationError } from '@keelson/client';
import { useState, type FormEvent } from 'react';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { bodyOf, draftOf, newSecret, type Draft } from './subscription-draft.ts';
import { SubscriptionFields } from './SubscriptionFields.tsx';
import styles from './SubscriptionForm.module.css';
import { webhooksChanged, type Subscription } from './webhook-queries.ts';

interface SubscriptionFormProps {
  /** Null: a new one. */
  readonly subscription: Subscription | null;
  readonly onSaved: (pid: string, warnings: readonly string[], secret: string | undefined) => void;
  readonly onClose: () => void;
}

/** Makes a subscription or changes it. What it would have heard of late is shown while it is written. */
export function SubscriptionForm({ subscription, onSaved, onClose }: SubscriptionFormProps) {
  const [draft, setDraft] = useState(() => draftOf(subscription));
  const [isSigned, setSigned] = useState(true);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<ShownError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  async function save(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    setProblems({});
    try {
      const body = bodyOf(draft);
      const saved = subscription
        ? await ask('PATCH /api/webhooks/{pid}', { params: { pid: subscription.pid }, body })
        : await ask('POST /api/webhooks', { body: { ...body, ...(isSigned && { secret: newSecret() }) } });
      await webhooksChanged();
      onSaved(saved.pid, saved.warnings, saved.secret);
    } catch (error) {
      setBusy(false);
      if (error instanceof ValidationError) setProblems(error.fieldErrors);
      else setFailure(shown(error));
    }
  }
  return (
    <Dialog
      title={subscription ? t('Edit {name}', { name: subscription.name }) : t('New webhook')}
      size="wide"
      onClose={onClose}
    >
      <form className={styles.form} onSubmit={(event) => void save(event)} noValidate>
        {failure && <Problem title={failure.title} advice={failure.advice} traceId={failure.traceId} />}
        <SubscriptionFields draft={draft} problems={problems} onChange={set} />
        {!subscription && (
          <label className={styles.check}>
            <input type="checkbox" checked={isSigned} onChange={({ target }) => setSigned(target.checked)} />
            {t('Sign requests with a new secret, shown once')}
          </label>
        )}
        <div className={styles.actions}>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" disabled={isBusy}>
            {subscription ? t('Save') : t('Make the webhook')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
