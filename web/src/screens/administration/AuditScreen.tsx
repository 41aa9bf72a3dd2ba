import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { momentOf } from '../../app/wall-time.ts';
import { auditQuery, type AuditEntry, type AuditFilter } from '../../parts/administration/administration-query.ts';
import { AUDIT_ACTIONS, AUDIT_FILTERS } from '../../parts/administration/audit-actions.ts';
import { ListScreen } from '../../parts/administration/ListScreen.tsx';
import { PageLinks } from '../../parts/administration/PageLinks.tsx';
import { download } from '../../parts/files/download.ts';
import { contentDifferences } from '../../parts/promotions/content-differences.ts';
import { FieldDifferences } from '../../parts/promotions/FieldDifferences.tsx';
import { BUTTON_LOOK } from '../../ui/button-look.ts';
import { Button } from '../../ui/Button.tsx';
import { EnvironmentChip } from '../../ui/EnvironmentChip.tsx';
import { Select } from '../../ui/Select.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import styles from './AuditScreen.module.css';

interface AuditSearch {
  readonly action?: string;
  readonly actor?: string;
  readonly target?: string;
  readonly environment?: string;
  readonly since?: string;
  readonly until?: string;
  readonly page?: string;
}

/** Who did what, when and why, in an unbroken chain. */
export function AuditScreen() {
  const search: AuditSearch = useSearch({ from: '/audit' });
  const navigate = useNavigate();
  const { page: pageText = '1', since, until, ...rest } = search;
  const page = Number(pageText) || 1;
  const days = {
    ...(since !== undefined && { since: momentOf(`${since}T00:00`) }),
    ...(until !== undefined && { until: momentOf(`${until}T23:59`) }),
  };
  const filter: AuditFilter = { ...rest, ...days };
  const found = useQuery(auditQuery(filter, page));
  const { records = [], total = 0 } = found.data ?? {};
  const set = (changes: AuditSearch) => {
    const next = Object.entries({ ...search, page: undefined, ...changes }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    void navigate({ to: '/audit', search: Object.fromEntries(next), replace: true });
  };
  return (
    <ListScreen
      title={t('Audit trail')}
      tools={<Tools search={search} filter={filter} onChange={set} />}
      found={found}
      isEmpty={records.length === 0}
      none={{ title: t('No entry is found'), advice: t('Another filter may find more.') }}
    >
      <ol className={styles.entries} aria-label={t('Audit trail')}>
        {records.map((entry) => (
          <li key={entry.pid}>
            <Entry entry={entry} onFilter={set} />
          </li>
        ))}
      </ol>
      <PageLinks
        text={plural(total, '{count} entry', '{count} entries')}
        total={total}
        page={page}
        onGo={(next) => set({ page: next > 1 ? String(next) : '' })}
      />
    </ListScreen>
  );
}

interface ToolsProps {
  readonly search: AuditSearch;
  readonly filter: AuditFilter;
  readonly onChange: (changes: AuditSearch) => void;
}

function Tools({ search, filter, onChange }: ToolsProps) {
  const [chain, setChain] = useState<{ readonly ok: boolean; readonly entries: number } | null>(null);
  const [isChecking, setChecking] = useState(false);
  const known = AUDIT_FILTERS.flatMap(({ action, name, actions }) => [
    ...(actions.length > 1 ? [[action, t('All: {name}', { name: t(name) })] as const] : []),
    ...actions.map((one) => [one, actionText(one)] as const),
  ]);
  const other = known.some(([action]) => action === search.action) ? undefined : search.action;

  async function verify() {
    setChecking(true);
    try {
      setChain(await ask('GET /api/admin/audit/verify'));
    } catch (error) {
      say(shown(error).title);
    }
    setChecking(false);
  }

  const save = () =>
    download('/api/admin/audit', 'audit.ndjson', filter, { accept: 'application/x-ndjson' }).catch((error: unknown) =>
      say(shown(error).title),
    );
  const day = (key: 'since' | 'until', label: string) => (
    <label className={styles.day}>
      {label}
      <TextInput type="date" value={search[key] ?? ''} onChange={({ target }) => onChange({ [key]: target.value })} />
    </label>
  );
  return (
    <>
      <Select
        aria-label={t('What was done')}
        value={search.action ?? ''}
        options={[['', t('All actions')], ...known, ...(other === undefined ? [] : [[other, other] as const])]}
        onChoose={(action) => onChange({ action })}
      />
      {day('since', t('From day'))}
      {day('until', t('To day'))}
      {search.actor !== undefined && <Button onClick={() => onChange({ actor: '' })}>{t('Of one person')} ×</Button>}
      {search.target !== undefined && (
        <Button onClick={() => onChange({ target: '' })}>{t('About one thing')} ×</Button>
      )}
      {search.environment !== undefined && (
        <Button onClick={() => onChange({ environment: '' })}>{search.environment} ×</Button>
      )}
      <Button onClick={() => void save()}>{t('Export')}</Button>
      <Button disabled={isChecking} onClick={() => void verify()}>
        {t('Verify the chain')}
      </Button>
      {chain && (
        <span role="status">
          <StatusMark tone={chain.ok ? 'good' : 'bad'}>
            {chain.ok
              ? plural(chain.entries, '{count} entry, unbroken', '{count} entries, unbroken')
              : t('The chain is broken')}
          </StatusMark>
        </span>
      )}
    </>
  );
}

/** What an entry is about, by the name that it had. */
function subjectOf({ before, after }: AuditEntry): string | undefined {
  const { username, name, channel, prefix, content } = (after ?? before ?? {}) as Readonly<Record<string, unknown>>;
  const { name: contentName } = (content ?? {}) as { readonly name?: unknown };
  return [username, name, channel, prefix, contentName].find((one) => typeof one === 'string');
}

/** An action in words; one of a newer service by its code. */
function actionText(action: string): string {
  const text = AUDIT_ACTIONS.get(action);
  return text === undefined ? action : t(text);
}

interface EntryProps {
  readonly entry: AuditEntry;
  readonly onFilter: (changes: AuditSearch) => void;
}

function Entry({ entry, onFilter }: EntryProps) {
  const { at, actor, action, environment, targetType, targetPid, reason, before, after, hash, traceId } = entry;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={styles.entry} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <time dateTime={at} title={formatWholeMoment(at)}>
          {formatMoment(at)}
        </time>
        <span className={styles.who}>{actor.username}</span>
        <span className={styles.action} title={action}>
          {actionText(action)}
        </span>
        <span>{environment !== null && <EnvironmentChip environment={environment} />}</span>
        <span className={styles.reason}>{[subjectOf(entry), reason].filter(Boolean).join(' · ')}</span>
      </button>
      {isOpen && (
        <div className={styles.open}>
          <FieldDifferences differences={contentDifferences(before ?? {}, after ?? {})} action="UPDATE" />
          <p className={styles.marks}>
            {targetType} <code>{targetPid}</code> · <code title={hash}>{hash.slice(0, 12)}</code>
            {traceId !== null && (
              <>
                {' · '}
                <code>{traceId}</code>
              </>
            )}
          </p>
          <p className={styles.links}>
            {targetType === 'promotion' && (
              <Link to="/promotions/$pid" params={{ pid: targetPid }} search={{}} className={BUTTON_LOOK}>
                {t('Show the promotion')}
              </Link>
            )}
            <Button onClick={() => onFilter({ actor: actor.userPid })}>{t('All of this person')}</Button>
            <Button onClick={() => onFilter({ target: targetPid })}>{t('All about this')}</Button>
            {environment !== null && (
              <Button onClick={() => onFilter({ environment })}>{t('All in {name}', { name: environment })}</Button>
            )}
          </p>
        </div>
      )}
    </>
  );
}
