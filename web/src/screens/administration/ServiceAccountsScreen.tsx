import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { ActionDialog } from '../../parts/actions/ActionDialog.tsx';
import {
  SERVICE_ACCOUNTS,
  serviceAccountsQuery,
  type ServiceAccount,
} from '../../parts/administration/administration-query.ts';
import { KeyDialog } from '../../parts/administration/KeyDialog.tsx';
import { ListScreen } from '../../parts/administration/ListScreen.tsx';
import { NameDialog } from '../../parts/administration/NameDialog.tsx';
import { PageLinks } from '../../parts/administration/PageLinks.tsx';
import { Row, Rows } from '../../parts/administration/Rows.tsx';
import { usePages } from '../../parts/administration/use-pages.ts';
import { Button } from '../../ui/Button.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import styles from './ServiceAccountsScreen.module.css';

type Key = ServiceAccount['keys'][number];
type Asked =
  | { readonly kind: 'new' }
  | { readonly kind: 'key' | 'delete' | 'adopt'; readonly account: ServiceAccount }
  | { readonly kind: 'revoke'; readonly account: ServiceAccount; readonly key: Key };

/** Programs that use the API, with their keys. */
export function ServiceAccountsScreen() {
  const { page, go } = usePages();
  const found = useQuery(serviceAccountsQuery(page));
  const [asked, setAsked] = useState<Asked | null>(null);
  const { records = [], total = 0 } = found.data ?? {};
  return (
    <>
      <ListScreen
        title={t('Service accounts')}
        tools={
          <Button look="primary" onClick={() => setAsked({ kind: 'new' })}>
            {t('New service account')}
          </Button>
        }
        found={found}
        isEmpty={records.length === 0}
        none={{
          title: t('No program has an account yet'),
          advice: t('A service account lets a program use the API by a key with permissions of its own.'),
        }}
      >
        <Rows label={t('Service accounts')}>
          {records.map((account) => (
            <AccountRow key={account.pid} account={account} onAsk={setAsked} />
          ))}
        </Rows>
        <PageLinks text={plural(total, '{count} account', '{count} accounts')} total={total} page={page} onGo={go} />
      </ListScreen>
      {asked && <Dialogs asked={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

interface AccountRowProps {
  readonly account: ServiceAccount;
  readonly onAsk: (asked: Asked) => void;
}

function AccountRow({ account, onAsk }: AccountRowProps) {
  const { name, keys } = account;
  return (
    <Row
      name={name}
      about={plural(keys.length, '{count} key', '{count} keys')}
      actions={
        <>
          {keys.some(({ suspended }) => suspended !== null) && (
            <Button onClick={() => onAsk({ kind: 'adopt', account })}>{t('Answer for it')}</Button>
          )}
          <Button aria-label={t('New key of {name}', { name })} onClick={() => onAsk({ kind: 'key', account })}>
            {t('New key')}
          </Button>
          <Button aria-label={t('Delete {name}', { name })} onClick={() => onAsk({ kind: 'delete', account })}>
            {t('Delete')}
          </Button>
        </>
      }
    >
      {keys.length > 0 && (
        <ul className={styles.keys}>
          {keys.map((key) => (
            <li key={key.pid}>
              <code>{key.prefix}…</code>
              <span className={styles.scopes}>{key.scopes.join(', ')}</span>
              {key.suspended !== null && (
                <StatusMark tone="bad">
                  {key.suspended === 'OWNER_INACTIVE'
                    ? t('Stopped: its owner is disabled or gone')
                    : t('Stopped: its owner may no longer grant it')}
                </StatusMark>
              )}
              <KeyTimes keyOfAccount={key} />
              <Button
                aria-label={t('Revoke {key}', { key: key.prefix })}
                onClick={() => onAsk({ kind: 'revoke', account, key })}
              >
                {t('Revoke')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Row>
  );
}

function KeyTimes({ keyOfAccount: { expiresAt, lastUsedAt } }: { readonly keyOfAccount: Key }) {
  return (
    <span className={styles.times}>
      {lastUsedAt === null ? (
        t('never used')
      ) : (
        <time dateTime={lastUsedAt} title={formatWholeMoment(lastUsedAt)}>
          {t('used {moment}', { moment: formatMoment(lastUsedAt) })}
        </time>
      )}
      {expiresAt !== null && (
        <>
          {' · '}
          <time dateTime={expiresAt} title={formatWholeMoment(expiresAt)}>
            {t('ends {moment}', { moment: formatMoment(expiresAt) })}
          </time>
        </>
      )}
    </span>
  );
}

function Dialogs({ asked, onClose }: { readonly asked: Asked; readonly onClose: () => void }) {
  const cache = useQueryClient();
  const done = async (text: string) => {
    say(text);
    await cache.invalidateQueries({ queryKey: SERVICE_ACCOUNTS });
    onClose();
  };
  if (asked.kind === 'key') return <KeyDialog account={asked.account} onClose={onClose} />;
  if (asked.kind === 'new') {
    return (
      <NameDialog
        title={t('New service account')}
        action={t('Make the account')}
        onAct={async (name) => {
          await ask('POST /api/admin/service-accounts', { body: { name } });
          await done(t('The account is made; it needs a key'));
        }}
        onClose={onClose}
      />
    );
  }
  const { name, pid } = asked.account;
  if (asked.kind === 'adopt') {
    return (
      <ActionDialog
        title={t('Answer for {name}', { name })}
        action={t('Answer for {name}', { name })}
        onAct={async () => {
          await ask('POST /api/admin/service-accounts/{pid}/adopt', { params: { pid } });
          await done(t('Its keys work again'));
        }}
        onClose={onClose}
      >
        {() => <p>{t('Its keys then need your rights, and work as long as you have them.')}</p>}
      </ActionDialog>
    );
  }
  const isKey = asked.kind === 'revoke';
  const title = isKey ? t('Revoke {key}', { key: asked.key.prefix }) : t('Delete {name}', { name });
  return (
    <ActionDialog
      title={title}
      action={title}
      isDangerous
      onAct={async () => {
        if (isKey) {
          const params = { pid, keyPid: asked.key.pid };
          await ask('DELETE /api/admin/service-accounts/{pid}/keys/{keyPid}', { params });
        } else await ask('DELETE /api/admin/service-accounts/{pid}', { params: { pid } });
        await done(isKey ? t('Revoked') : t('Deleted'));
      }}
      onClose={onClose}
    >
      {() => <p>{t('Programs that use it are refused at once. It cannot be undone.')}</p>}
    </ActionDialog>
  );
}
