import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Select } from '../../ui/Select.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { usersQuery, type User } from '../administration/administration-query.ts';
import { ofTypeQuery, type Resource } from './build-query.ts';
import { SearchField } from '../../ui/SearchField.tsx';
import { verdicts } from './why.ts';
import styles from './WhyDialog.module.css';

interface WhyDialogProps {
  /** Permissions to choose from. */
  readonly permissions: readonly string[];
  readonly onClose: () => void;
}

/** Why someone can, or cannot, do something: which of their roles grants it, and by which code. */
export function WhyDialog({ permissions, onClose }: WhyDialogProps) {
  const list = useId();
  const [keyword, setKeyword] = useState('');
  const [pid, setPid] = useState('');
  const [permission, setPermission] = useState('');
  const users = useQuery(usersQuery(keyword, 1));
  const roles = useQuery(ofTypeQuery('PERMISSION'));
  const found = users.data?.records ?? [];
  const user = found.find((one) => one.pid === pid) ?? found[0];
  const failed = users.error ?? roles.error;
  const problem = failed && shown(failed);
  return (
    <Dialog title={t('Why can someone do something, or not?')} size="wide" onClose={onClose}>
      <div className={styles.why}>
        {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
        <div className={styles.asked}>
          <SearchField label={t('Name or e-mail')} value={keyword} onChange={setKeyword} />
          <Labelled label={t('Who')}>
            {(ties) => (
              <Select
                {...ties}
                value={user?.pid ?? ''}
                options={found.map((one) => [one.pid, `${one.username} (${one.email})`])}
                onChoose={setPid}
              />
            )}
          </Labelled>
          <Labelled label={t('Permission')} hint={t('Such as record:read:lead or command:execute:crm:convert_lead')}>
            {(ties) => (
              <TextInput
                {...ties}
                list={list}
                value={permission}
                onChange={({ target }) => setPermission(target.value.trim())}
              />
            )}
          </Labelled>
          <datalist id={list}>
            {permissions.map((code) => (
              <option key={code} value={code} />
            ))}
          </datalist>
        </div>
        {user && permission !== '' && roles.data && <Answer user={user} permission={permission} roles={roles.data} />}
      </div>
    </Dialog>
  );
}

interface AnswerProps {
  readonly user: User;
  readonly permission: string;
  readonly roles: readonly Resource[];
}

function Answer({ user: { username, memberships, status }, permission, roles }: AnswerProps) {
  const codesOf = new Map(roles.map(({ code, content }) => [code, codesIn(content)]));
  const others = verdicts([...codesOf.keys()], codesOf, permission).filter(({ by }) => by !== null);
  return (
    <div className={styles.answer} role="status">
      {status === 'disabled' && <p>{t('{name} is disabled, and gets in nowhere.', { name: username })}</p>}
      {memberships.map(({ tenantId, tenantName, roles: held }) => {
        const found = verdicts(held, codesOf, permission);
        const granting = found.filter(({ by }) => by !== null);
        return (
          <section key={tenantId} aria-label={tenantName}>
            <h3>
              <StatusMark tone={granting.length > 0 ? 'good' : 'bad'}>
                {granting.length > 0
                  ? t('{name} may, in {tenant}', { name: username, tenant: tenantName })
                  : t('{name} may not, in {tenant}', { name: username, tenant: tenantName })}
              </StatusMark>
            </h3>
            <ul>
              {found.map(({ role, by }) => (
                <li key={role}>
                  <code>{role}</code> {by === null ? t('does not grant it') : t('grants it by {code}', { code: by })}
                </li>
              ))}
              {found.length === 0 && <li>{t('no role')}</li>}
            </ul>
            {granting.length === 0 && others.length > 0 && (
              <p className={styles.others}>
                {t('These roles would: {roles}', { roles: others.map(({ role }) => role).join(', ') })}
              </p>
            )}
          </section>
        );
      })}
    </div>
  );
}

function codesIn({ codes }: Resource['content']): string[] {
  return Array.isArray(codes) ? codes.filter((one) => typeof one === 'string') : [];
}
