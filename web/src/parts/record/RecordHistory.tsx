import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import {
  findModel,
  nameField,
  type Application,
  type HistoryEntry,
  type Model,
  type RecordData,
} from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { shown, shownInLine } from '../../app/errors.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { may } from '../../app/permissions.ts';
import { applicationQuery, meQuery } from '../../app/queries.ts';
import { t, type TextKey } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { lazyPart } from '../loading/lazy-part.tsx';
import { textOf } from '../fields/field-kind.ts';
import { recordsKey } from '../records/record-list.ts';
import { ChangeList } from './ChangeList.tsx';
import { historyQuery, recordQuery } from './record-query.ts';
import styles from './RecordHistory.module.css';

const Consequences = lazyPart(() => import('./Consequences.tsx'));

interface RecordHistoryProps {
  readonly pageKey: string;
  readonly model: Model;
  readonly pid: string;
}

const ACTIONS: Readonly<Record<HistoryEntry['action'], TextKey>> = {
  CREATE: 'created it',
  UPDATE: 'changed it',
  DELETE: 'deleted it',
  RESTORE: 'restored it',
};

/** Who changed what, the newest first; the way back to each state, and what each change has caused. */
export function RecordHistory({ pageKey, model, pid }: RecordHistoryProps) {
  const cache = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const { data: application } = useQuery(applicationQuery);
  const { data: record } = useQuery(recordQuery(pageKey, model, pid));
  const { data, error, refetch } = useQuery(historyQuery(pageKey, pid));
  if (error && !data) {
    const { title, advice } = shown(error);
    return (
      <Blank title={title} advice={advice}>
        <Button onClick={() => void refetch()}>{t('Try again')}</Button>
      </Blank>
    );
  }
  if (!data) return <Skeleton width={60} />;
  if (data.records.length === 0) return <Blank title={t('No change is recorded')} />;

  async function restore({ version, at }: HistoryEntry) {
    const revert = client.command('record:revert') as (payload: object) => Promise<unknown>;
    const to = (earlier: number) => revert({ modelCode: model.code, pid, version: earlier });
    const now = data?.records[0]?.version ?? version;
    try {
      await to(version);
      const back = () => void to(now).then(() => cache.invalidateQueries({ queryKey: recordsKey(pageKey) }));
      say(t('The record is as it was {when}', { when: formatMoment(at) }), back);
    } catch (caught) {
      say(shownInLine(caught));
    }
    await cache.invalidateQueries({ queryKey: recordsKey(pageKey) });
  }

  const names = namesIn(application, model, record, data.records);
  const mayRestore = may(me, `record:write:${model.code}`);
  return (
    <ol className={styles.entries}>
      {data.records.map((entry, index) => (
        <li key={`${entry.version} ${entry.at}`} className={styles.entry}>
          <p className={styles.what}>
            <strong>{entry.actor.username ?? entry.actor.userPid}</strong>
            <span>{t(ACTIONS[entry.action])}</span>
            <time className={styles.when} dateTime={entry.at} title={formatWholeMoment(entry.at)}>
              {formatMoment(entry.at)}
            </time>
          </p>
          <ChangeList changes={entry.changes} model={model} names={names} />
          <div className={styles.tools}>
            {mayRestore && index > 0 && entry.action !== 'DELETE' && (
              <Button look="plain" onClick={() => void restore(entry)}>
                {t('Restore this state')}
              </Button>
            )}
            {entry.traceId !== null && <Caused entry={entry} traceId={entry.traceId} />}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** What people call those who have written a record, and what it refers to now; by pid. */
function namesIn(
  application: Application | undefined,
  model: Model,
  record: RecordData | undefined,
  entries: readonly HistoryEntry[],
): ReadonlyMap<string, string> {
  const names = new Map(entries.map(({ actor: { userPid, username } }) => [userPid, username ?? userPid]));
  for (const { code, type, target } of model.fields) {
    const related = record?.expanded?.[code] as Readonly<Record<string, unknown>> | null | undefined;
    const referred = target === undefined ? undefined : application && findModel(application, target);
    const name = related && textOf(type === 'user' ? related.username : referred && related[nameField(referred)]);
    if (name) names.set(textOf(record?.[code]), name);
  }
  return names;
}

function Caused({ entry, traceId }: { readonly entry: HistoryEntry; readonly traceId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t('What it has caused')}
      </Button>
      {isOpen && (
        <div className={styles.caused}>
          <Suspense fallback={<Skeleton width={50} />}>
            <Consequences traceId={traceId} executionPid={entry.executionPid} />
          </Suspense>
        </div>
      )}
    </>
  );
}
