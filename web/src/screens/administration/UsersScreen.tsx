import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { meQuery } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { ActionDialog } from '../../parts/actions/ActionDialog.tsx';
import { usersQuery, type User } from '../../parts/administration/administration-query.ts';
import { ListScreen } from '../../parts/administration/ListScreen.tsx';
import { PageLinks } from '../../parts/administration/PageLinks.tsx';
import { Row, Rows } from '../../parts/administration/Rows.tsx';
import { usePages } from '../../parts/administration/use-pages.ts';
import { useRoleNames } from '../../parts/administration/use-role-names.ts';
import { UserDialog } from '../../parts/administration/UserDialog.tsx';
import { Button } from '../../ui/Button.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';

type Asked = { readonly kind: 'new' } | { readonly kind: 'edit' | 'reset'; readonly user: User };

/** Who may log in, and with which roles in which tenant. */
export function UsersScreen() {
  const { q, page, find, go } = usePages();
  const { data: me } = useSuspenseQuery(meQuery);
  const found = useQuery(usersQuery(q, page));
  const roleNames = useRoleNames();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const { records = [], total = 0 } = found.data ?? {};
  return (
    <ListScreen
      title={t('Users')}
      tools={
        <>
          <SearchField label={t('Name or e-mail')} value={q} onChange={find} />
          <Button look="primary" onClick={() => setAsked({ kind: 'new' })}>
            {t('New user')}
          </Button>
        </>
      }
      found={found}
      isEmpty={records.length === 0}
      none={{ title: t('No user is found'), advice: t('Another part of the name may find them.') }}
    >
      <Rows label={t('Users')}>
        {records.map((user) => (
          <Row
            key={user.pid}
            name={
              <>
                {user.username}
                <small>{user.email}</small>
              </>
            }
            about={user.memberships
              .map(({ tenantName, roles }) => `${tenantName}: ${roles.length === 0 ? t('no role') : roleNames(roles)}`)
              .join(' · ')}
            state={
              <StatusMark tone={user.status === 'active' ? 'good' : 'quiet'}>
                {user.status === 'active' ? t('Active') : t('Disabled')}
              </StatusMark>
            }
            actions={
              <>
                <Button
                  aria-label={t('Reset password of {name}', { name: user.username })}
                  onClick={() => setAsked({ kind: 'reset', user })}
                >
                  {t('Reset password')}
                </Button>
                <Button
                  aria-label={t('Change {name}', { name: user.username })}
                  onClick={() => setAsked({ kind: 'edit', user })}
                >
                  {t('Change')}
                </Button>
              </>
            }
          />
        ))}
      </Rows>
      <PageLinks text={plural(total, '{count} user', '{count} users')} total={total} page={page} onGo={go} />
      {asked?.kind === 'edit' && <UserDialog me={me} user={asked.user} onClose={close} />}
      {asked?.kind === 'reset' && <ResetDialog user={asked.user} onClose={close} />}
      {asked?.kind === 'new' && <UserDialog me={me} onClose={close} />}
    </ListScreen>
  );
}

function ResetDialog({ user: { pid, username }, onClose }: { readonly user: User; readonly onClose: () => void }) {
  return (
    <ActionDialog
      title={t('Reset the password of {name}', { name: username })}
      action={t('End their sessions and send the e-mail')}
      isDangerous
      onAct={async () => {
        await ask('POST /api/admin/users/{pid}/reset', { params: { pid } });
        say(t('An e-mail asks them to choose a password'));
        onClose();
      }}
      onClose={onClose}
    >
      {() => <p>{t('Their sessions end at once, and their password is no longer valid.')}</p>}
    </ActionDialog>
  );
}
