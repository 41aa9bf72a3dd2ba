import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { ActionDialog } from '../../parts/actions/ActionDialog.tsx';
import { TENANTS, tenantsQuery, type Tenant } from '../../parts/administration/administration-query.ts';
import { ListScreen } from '../../parts/administration/ListScreen.tsx';
import { NameDialog } from '../../parts/administration/NameDialog.tsx';
import { PageLinks } from '../../parts/administration/PageLinks.tsx';
import { Row, Rows } from '../../parts/administration/Rows.tsx';
import { usePages } from '../../parts/administration/use-pages.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { TextInput } from '../../ui/TextInput.tsx';

type Asked = { readonly kind: 'new' } | { readonly kind: 'rename' | 'zone' | 'status'; readonly tenant: Tenant };

/** The organisations; each sees its own records only. */
export function TenantsScreen() {
  const { q, page, find, go } = usePages();
  const found = useQuery(tenantsQuery(q, page));
  const [asked, setAsked] = useState<Asked | null>(null);
  const { records = [], total = 0 } = found.data ?? {};
  return (
    <>
      <ListScreen
        title={t('Tenants')}
        tools={
          <>
            <SearchField key={q} label={t('Part of the name')} value={q} onChange={find} />
            <Button look="primary" onClick={() => setAsked({ kind: 'new' })}>
              {t('New tenant')}
            </Button>
          </>
        }
        found={found}
        isEmpty={records.length === 0}
        none={{ title: t('No tenant is found'), advice: t('Another part of the name may find it.') }}
      >
        <Rows label={t('Tenants')}>
          {records.map((tenant) => {
            const { pid, name, status, timeZone, createdAt } = tenant;
            const isActive = status === 'active';
            return (
              <Row
                key={pid}
                name={name}
                about={
                  <time dateTime={createdAt} title={formatWholeMoment(createdAt)}>
                    {`${timeZone} · ${t('since {moment}', { moment: formatMoment(createdAt) })}`}
                  </time>
                }
                state={
                  <StatusMark tone={isActive ? 'good' : 'waiting'}>
                    {isActive ? t('Active') : t('Suspended')}
                  </StatusMark>
                }
                actions={
                  <>
                    <Button
                      aria-label={t('Rename {name}', { name })}
                      onClick={() => setAsked({ kind: 'rename', tenant })}
                    >
                      {t('Rename')}
                    </Button>
                    <Button
                      aria-label={t('Time zone of {name}', { name })}
                      onClick={() => setAsked({ kind: 'zone', tenant })}
                    >
                      {t('Time zone')}
                    </Button>
                    <Button
                      aria-label={isActive ? t('Suspend {name}', { name }) : t('Let in {name} again', { name })}
                      onClick={() => setAsked({ kind: 'status', tenant })}
                    >
                      {isActive ? t('Suspend') : t('Let in')}
                    </Button>
                  </>
                }
              />
            );
          })}
        </Rows>
        <PageLinks text={plural(total, '{count} tenant', '{count} tenants')} total={total} page={page} onGo={go} />
      </ListScreen>
      {asked && <Dialogs asked={asked} onMade={find} onClose={() => setAsked(null)} />}
    </>
  );
}

interface DialogsProps {
  readonly asked: Asked;
  /** There are pages of others: it is looked for. */
  readonly onMade: (name: string) => void;
  readonly onClose: () => void;
}

function Dialogs({ asked, onMade, onClose }: DialogsProps) {
  const cache = useQueryClient();
  const done = async () => {
    say(t('Changed'));
    await cache.invalidateQueries({ queryKey: TENANTS });
    onClose();
  };
  if (asked.kind === 'new') {
    return (
      <NameDialog
        title={t('New tenant')}
        action={t('Make the tenant')}
        onAct={async (name) => {
          await ask('POST /api/admin/tenants', { body: { name } });
          onMade(name.trim());
          await done();
        }}
        onClose={onClose}
      />
    );
  }
  const { pid, name, status, timeZone } = asked.tenant;
  if (asked.kind === 'rename') {
    return (
      <NameDialog
        title={t('Rename {name}', { name })}
        action={t('Rename')}
        name={name}
        onAct={async (next) => {
          await ask('PATCH /api/admin/tenants/{pid}', { params: { pid }, body: { name: next } });
          await done();
        }}
        onClose={onClose}
      />
    );
  }
  if (asked.kind === 'zone') {
    return (
      <ZoneDialog
        title={t('Time zone of {name}', { name })}
        timeZone={timeZone}
        onAct={async (next) => {
          await ask('PATCH /api/admin/tenants/{pid}', { params: { pid }, body: { timeZone: next } });
          await done();
        }}
        onClose={onClose}
      />
    );
  }
  const isActive = status === 'active';
  const title = isActive ? t('Suspend {name}', { name }) : t('Let in {name} again', { name });
  return (
    <ActionDialog
      title={title}
      action={title}
      isDangerous={isActive}
      onAct={async () => {
        const body = { status: isActive ? ('suspended' as const) : ('active' as const) };
        await ask('PATCH /api/admin/tenants/{pid}', { params: { pid }, body });
        await done();
      }}
      onClose={onClose}
    >
      {() => (
        <p>
          {isActive
            ? t('Nobody gets in any more, neither people nor programs, until it is let in again. Its records stay.')
            : t('People and programs get in again as before.')}
        </p>
      )}
    </ActionDialog>
  );
}

interface ZoneDialogProps {
  readonly title: string;
  readonly timeZone: string;
  /** @throws KeelsonError */
  readonly onAct: (timeZone: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Where the days of a tenant begin. */
function ZoneDialog({ title, timeZone: known, onAct, onClose }: ZoneDialogProps) {
  const [timeZone, setTimeZone] = useState(known);
  return (
    <ActionDialog
      title={title}
      action={t('Change the time zone')}
      isReady={timeZone.trim() !== '' && timeZone !== known}
      onAct={() => onAct(timeZone.trim())}
      onClose={onClose}
    >
      {(problems) => (
        <Labelled label={t('Time zone')} required problem={problems.timeZone}>
          {(ties) => <TextInput {...ties} value={timeZone} onChange={({ target }) => setTimeZone(target.value)} />}
        </Labelled>
      )}
    </ActionDialog>
  );
}
