import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { useAddress } from '../../parts/operate/use-address.ts';
import { SecretDialog } from '../../parts/webhooks/SecretDialog.tsx';
import { SubscriptionForm } from '../../parts/webhooks/SubscriptionForm.tsx';
import { SubscriptionPanel } from '../../parts/webhooks/SubscriptionPanel.tsx';
import { SubscriptionState } from '../../parts/webhooks/SubscriptionState.tsx';
import { subscriptionsQuery, type Subscription } from '../../parts/webhooks/webhook-queries.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useKeys } from '../../ui/use-keys.ts';

const NEW = 'new';

/** What is told to other programs, and whether they hear it. */
export function WebhooksScreen() {
  const [{ open, edit }, change] = useAddress();
  const [secret, setSecret] = useState<string | null>(null);
  const found = useQuery(subscriptionsQuery);
  const records = found.data?.records ?? [];
  const opened = records.find(({ pid }) => pid === open);
  const edited = records.find(({ pid }) => pid === edit);
  const begin = () => change({ edit: NEW });
  useKeys({ c: begin });
  return (
    <>
      <LogScreen
        title={t('Webhooks')}
        actions={
          <Button look="primary" onClick={begin}>
            <Icon name="add" />
            {t('New webhook')}
          </Button>
        }
        panel={
          opened && (
            <SubscriptionPanel
              key={opened.pid}
              subscription={opened}
              onEdit={() => change({ edit: opened.pid })}
              onClose={() => change({ open: undefined })}
            />
          )
        }
      >
        <Found
          query={found}
          isEmpty={records.length === 0}
          none={
            <Blank
              title={t('No webhook yet')}
              advice={t('A webhook tells another program what happens here: it is sent to an address of yours.')}
            >
              <Button look="primary" onClick={begin}>
                {t('New webhook')}
              </Button>
            </Blank>
          }
        >
          <LogTable
            label={t('Webhooks')}
            columns={opened ? columns().filter(({ isMinor }) => !isMinor) : columns()}
            rows={records}
            keyOf={({ pid }) => pid}
            openKey={open}
          />
        </Found>
      </LogScreen>
      {(edit === NEW || edited) && (
        <SubscriptionForm
          key={edit}
          subscription={edited ?? null}
          onClose={() => change({ edit: undefined })}
          onSaved={(pid, warnings, made) => {
            change({ edit: undefined, open: pid });
            for (const warning of warnings) say(warning);
            setSecret(made ?? null);
          }}
        />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

function columns(): LogColumn<Subscription>[] {
  return [
    {
      label: t('Name'),
      cell: ({ pid, name }) => (
        <Link to="." search={(before) => ({ ...before, open: pid })}>
          {name}
        </Link>
      ),
    },
    { label: t('State'), cell: (subscription) => <SubscriptionState of={subscription} /> },
    { label: t('Event'), cell: ({ eventType }) => eventType },
    {
      label: t('Endpoint'),
      cell: ({ targetUrl }) => <span title={targetUrl}>{targetUrl}</span>,
      isMinor: true,
      isWide: true,
    },
    { label: t('Changed'), cell: ({ updatedAt }) => <Moment at={updatedAt} />, isNumber: true, isMinor: true },
  ];
}
