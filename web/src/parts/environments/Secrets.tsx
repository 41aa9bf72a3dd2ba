import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { Moment } from '../operate/Moment.tsx';
import { secretsQuery } from './environments-query.ts';
import styles from './environments.module.css';

/** `name` is empty for a new one. */
type Asked = { readonly kind: 'set' | 'delete'; readonly name: string };

/** The secrets of an environment: their names alone, values are never shown. */
export function Secrets({ environment }: { readonly environment: string }) {
  const cache = useQueryClient();
  const query = secretsQuery(environment);
  const { data } = useQuery(query);
  const [asked, setAsked] = useState<Asked | null>(null);
  const done = async (text: string) => {
    say(text);
    await cache.invalidateQueries({ queryKey: query.queryKey });
    setAsked(null);
  };
  return (
    <section className={styles.part} aria-label={t('Secrets')}>
      <header>
        <h2>{t('Secrets')}</h2>
        <Button onClick={() => setAsked({ kind: 'set', name: '' })}>{t('Set a secret')}</Button>
      </header>
      {!data && <Skeleton width={60} />}
      {data?.length === 0 && <p className={styles.none}>{t('There is none. Values are never shown again.')}</p>}
      <ul className={styles.list}>
        {data?.map(({ name, updatedAt, updatedByName }) => (
          <li key={name}>
            <code className={styles.name}>{name}</code>
            <span className={styles.note}>
              <Moment at={updatedAt} by={updatedByName} />
            </span>
            <Button aria-label={t('Replace {name}', { name })} onClick={() => setAsked({ kind: 'set', name })}>
              {t('Replace')}
            </Button>
            <Button aria-label={t('Delete {name}', { name })} onClick={() => setAsked({ kind: 'delete', name })}>
              {t('Delete')}
            </Button>
          </li>
        ))}
      </ul>
      {asked?.kind === 'set' && (
        <SetDialog environment={environment} name={asked.name} onDone={done} onClose={() => setAsked(null)} />
      )}
      {asked?.kind === 'delete' && (
        <ActionDialog
          title={t('Delete {name}', { name: asked.name })}
          action={t('Delete {name}', { name: asked.name })}
          isDangerous
          onAct={async () => {
            const params = { environment, name: asked.name };
            await ask('DELETE /api/admin/environments/{environment}/secrets/{name}', { params });
            await done(t('Deleted'));
          }}
          onClose={() => setAsked(null)}
        >
          {() => <p>{t('Its value cannot be brought back.')}</p>}
        </ActionDialog>
      )}
    </section>
  );
}

interface SetDialogProps {
  readonly environment: string;
  readonly name: string;
  readonly onDone: (text: string) => Promise<void>;
  readonly onClose: () => void;
}

function SetDialog({ environment, name: known, onDone, onClose }: SetDialogProps) {
  const [name, setName] = useState(known);
  const [value, setValue] = useState('');
  return (
    <ActionDialog
      title={known === '' ? t('Set a secret') : t('Replace {name}', { name: known })}
      action={known === '' ? t('Set it') : t('Replace {name}', { name: known })}
      isReady={name !== '' && value !== ''}
      onAct={async () => {
        const input = { params: { environment, name }, body: { value } };
        await ask('PUT /api/admin/environments/{environment}/secrets/{name}', input);
        await onDone(t('The secret is set; it is used from the next call on'));
      }}
      onClose={onClose}
    >
      {(problems) => (
        <>
          {known === '' && (
            <Labelled label={t('Name')} required problem={problems.name} hint={t('Upper-case letters, digits and _')}>
              {(ties) => (
                <TextInput {...ties} value={name} onChange={({ target }) => setName(target.value.toUpperCase())} />
              )}
            </Labelled>
          )}
          <Labelled label={t('Value')} required problem={problems.value}>
            {(ties) => (
              <TextInput
                {...ties}
                type="password"
                autoComplete="new-password"
                value={value}
                onChange={({ target }) => setValue(target.value)}
              />
            )}
          </Labelled>
        </>
      )}
    </ActionDialog>
  );
}
