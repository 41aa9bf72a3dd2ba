import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Me } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { may } from '../../app/permissions.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { Select } from '../../ui/Select.tsx';
import { SettledSelect } from '../../ui/SettledSelect.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { PAGE_SIZE, tenantsQuery, USERS, type User } from './administration-query.ts';
import { RoleChoice } from './RoleChoice.tsx';
import styles from './UserDialog.module.css';

type Memberships = readonly { readonly tenantId: string; readonly roles: readonly string[] }[];

interface UserDialogProps {
  readonly me: Me;
  /** Absent: a new one. */
  readonly user?: User | undefined;
  readonly onClose: () => void;
}

/** Makes a user or changes one: name, state, and the roles in each tenant. */
export function UserDialog({ me, user, onClose }: UserDialogProps) {
  const cache = useQueryClient();
  // People do not change their own state or roles.
  const isOwn = user?.pid === me.userPid;
  const [email, setEmail] = useState(user?.email ?? '');
  const [username, setUsername] = useState(user?.username ?? '');
  const [status, setStatus] = useState(user?.status ?? 'active');
  const [memberships, setMemberships] = useState<Memberships>(
    user?.memberships ?? [{ tenantId: me.tenantId, roles: [] }],
  );

  async function save() {
    const sent = memberships.map(({ tenantId, roles }) => ({ tenantId, roles: [...roles] }));
    if (user) {
      // What stays as it is may be out of the caller's reach: a name and a state are of all tenants.
      const changes = {
        ...(username !== user.username && { username }),
        ...(status !== user.status && { status }),
        ...(memberships !== user.memberships && { memberships: sent }),
      };
      const { leftBehind } = await ask('PATCH /api/admin/users/{pid}', {
        params: { pid: user.pid },
        body: changes,
      });
      say(
        leftBehind.length === 0
          ? t('Changed')
          : plural(
              leftBehind.length,
              '{count} key or subscription of theirs stopped',
              '{count} keys or subscriptions of theirs stopped',
            ),
      );
    } else {
      await ask('POST /api/admin/users', { body: { email: email.trim(), username, memberships: sent } });
      say(t('An e-mail asks them to choose a password'));
    }
    await cache.invalidateQueries({ queryKey: USERS });
    onClose();
  }

  return (
    <ActionDialog
      title={user ? user.username : t('New user')}
      size="wide"
      action={user ? t('Save') : t('Make the user')}
      isReady={username.trim() !== '' && email.trim() !== ''}
      onAct={save}
      onClose={onClose}
    >
      {(problems) => (
        <>
          {!user && (
            <Labelled label={t('E-mail')} required problem={problems.email}>
              {(ties) => (
                <TextInput {...ties} type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
              )}
            </Labelled>
          )}
          <Labelled label={t('Name')} required problem={problems.username}>
            {(ties) => <TextInput {...ties} value={username} onChange={({ target }) => setUsername(target.value)} />}
          </Labelled>
          {user && !isOwn && (
            <Labelled label={t('State')} problem={problems.status}>
              {(ties) => (
                <Select
                  {...ties}
                  value={status}
                  options={[
                    ['active', t('Active')],
                    ['disabled', t('Disabled')],
                  ]}
                  onChoose={(next) => setStatus(next === 'disabled' ? 'disabled' : 'active')}
                />
              )}
            </Labelled>
          )}
          {isOwn ? (
            <p className={styles.own}>{t('Another administrator changes your state and roles.')}</p>
          ) : (
            <MembershipFields me={me} user={user} value={memberships} onChange={setMemberships} />
          )}
        </>
      )}
    </ActionDialog>
  );
}

interface MembershipFieldsProps {
  readonly me: Me;
  readonly user: User | undefined;
  readonly value: Memberships;
  readonly onChange: (memberships: Memberships) => void;
}

function MembershipFields({ me, user, value, onChange }: MembershipFieldsProps) {
  const mayAll = may(me, 'admin:users');
  const [keyword, setKeyword] = useState('');
  const { data } = useQuery({ ...tenantsQuery(keyword, 1), enabled: mayAll });
  const known = new Map([
    ...me.tenants.map(({ tenantId, name }) => [tenantId, name] as const),
    ...(user?.memberships ?? []).map(({ tenantId, tenantName }) => [tenantId, tenantName] as const),
    ...(data?.records ?? []).map(({ tenantId, name }) => [tenantId, name] as const),
  ]);
  const others = (data?.records ?? []).filter(({ tenantId }) => !value.some((one) => one.tenantId === tenantId));
  return (
    <div className={styles.memberships}>
      {value.map(({ tenantId, roles }) => {
        const tenant = known.get(tenantId) ?? tenantId;
        return (
          <div key={tenantId} className={styles.membership}>
            <RoleChoice
              label={t('Roles in {tenant}', { tenant })}
              value={roles}
              onChange={(next) =>
                onChange(value.map((one) => (one.tenantId === tenantId ? { tenantId, roles: next } : one)))
              }
            />
            {(user !== undefined || value.length > 1) && (
              <Button
                look="plain"
                label={t('Take out of {tenant}', { tenant })}
                onClick={() => onChange(value.filter((one) => one.tenantId !== tenantId))}
              >
                <Icon name="close" />
              </Button>
            )}
          </div>
        );
      })}
      {(keyword !== '' || (data?.total ?? 0) > PAGE_SIZE) && (
        <SearchField label={t('Find a tenant')} value={keyword} onChange={setKeyword} />
      )}
      {others.length > 0 && (
        <SettledSelect
          aria-label={t('Another tenant')}
          value=""
          options={[['', t('Another tenant')], ...others.map(({ tenantId, name }) => [tenantId, name] as const)]}
          onChoose={(tenantId) => tenantId !== '' && onChange([...value, { tenantId, roles: [] }])}
        />
      )}
    </div>
  );
}
