import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { momentOf } from '../../app/wall-time.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { SERVICE_ACCOUNTS, type ServiceAccount } from './administration-query.ts';
import styles from './KeyDialog.module.css';

interface KeyDialogProps {
  readonly account: ServiceAccount;
  readonly onClose: () => void;
}

/** Makes a key, and shows it this once. */
export function KeyDialog({ account: { pid, name }, onClose }: KeyDialogProps) {
  const cache = useQueryClient();
  const [scopes, setScopes] = useState('');
  const [end, setEnd] = useState('');
  const [key, setKey] = useState<string | null>(null);
  if (key !== null) return <MadeKey value={key} onClose={onClose} />;

  async function make() {
    const body = {
      scopes: scopes.split(/[\s,]+/).filter((scope) => scope !== ''),
      ...(end !== '' && { expiresAt: momentOf(`${end}T00:00`) }),
    };
    const made = await ask('POST /api/admin/service-accounts/{pid}/keys', { params: { pid }, body });
    await cache.invalidateQueries({ queryKey: SERVICE_ACCOUNTS });
    setKey(made.key);
  }

  return (
    <ActionDialog
      title={t('New key of {name}', { name })}
      action={t('Make the key')}
      isReady={scopes.trim() !== ''}
      onAct={make}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <Labelled
            label={t('Permissions')}
            required
            problem={problemsOf('scopes', problems)}
            hint={t('One code a line, such as record:read:lead; only what you have yourself')}
          >
            {(ties) => (
              <TextArea {...ties} rows={4} value={scopes} onChange={({ target }) => setScopes(target.value)} />
            )}
          </Labelled>
          <Labelled label={t('Valid until')} problem={problems.expiresAt} hint={t('90 days where nothing is chosen')}>
            {(ties) => <TextInput {...ties} type="date" value={end} onChange={({ target }) => setEnd(target.value)} />}
          </Labelled>
        </>
      )}
    </ActionDialog>
  );
}

/** What is wrong with a field and its parts. */
function problemsOf(field: string, problems: Readonly<Record<string, string>>): string | undefined {
  const found = Object.entries(problems).filter(([path]) => path === field || path.startsWith(`${field}.`));
  return found.length === 0 ? undefined : found.map(([, problem]) => problem).join('. ');
}

/** There is no way to see it again. */
function MadeKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  const copy = () => void navigator.clipboard.writeText(value).then(() => say(t('Copied')));
  return (
    <Dialog
      title={t('The key is shown only now')}
      actions={
        <>
          <Button onClick={copy}>{t('Copy')}</Button>
          <Button look="primary" onClick={onClose}>
            {t('I have kept it')}
          </Button>
        </>
      }
    >
      <p>{t('Keep it where the program finds it. Who has it acts with its permissions.')}</p>
      <code className={styles.key}>{value}</code>
    </Dialog>
  );
}
