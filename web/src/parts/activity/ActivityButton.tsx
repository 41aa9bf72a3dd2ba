import type { StreamEvent } from '@keelson/client';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useCallback, useEffect, useState } from 'react';
import type { Application, Me } from '../../app/application.ts';
import { say } from '../../app/notices.ts';
import { queries } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { useStreams } from '../../app/use-stream.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Popover } from '../../ui/Popover.tsx';
import { lazyPart } from '../loading/lazy-part.tsx';
import { ACTIVITY, activityQuery, hasEnded, isImport, runningIn, type Activity } from './activity-query.ts';
import styles from './ActivityButton.module.css';
import { importName } from './import-name.ts';

const ActivityTray = lazyPart(async () => ({ default: (await import('./ActivityTray.tsx')).ActivityTray }));

/** Of what goes on: the others are looked for by asking. */
const MAX_FOLLOWED = 2;
const NOTHING: Activity = { executions: [], imports: [] };

interface ActivityButtonProps {
  readonly application: Application;
  readonly me: Me;
}

/** How much of what the caller has begun still goes on, and the tray with all of it. */
export default function ActivityButton({ application, me }: ActivityButtonProps) {
  const isReady = useIdle();
  const { data: activity = NOTHING } = useQuery({ ...activityQuery(me), enabled: isReady });
  const running = runningIn(activity);
  const hear = useCallback((event: StreamEvent) => onEvent(application, event), [application]);
  useStreams(running.slice(0, MAX_FOLLOWED).map(streamOf), hear);
  const label =
    running.length > 0 ? plural(running.length, 'Activity: {count} goes on', 'Activity: {count} go on') : t('Activity');
  return (
    <Popover
      align="end"
      label={t('Activity')}
      trigger={
        <Button
          look="plain"
          className={running.length > 0 ? styles.running : undefined}
          label={label}
          onClick={() => void queries.invalidateQueries({ queryKey: ACTIVITY })}
        >
          <Icon name="activity" />
          {running.length > 0 && <span className={styles.count}>{running.length}</span>}
        </Button>
      }
    >
      {(close) => (
        <Suspense>
          <ActivityTray application={application} me={me} activity={activity} onLeave={close} />
        </Suspense>
      )}
    </Popover>
  );
}

/** What the first screen needs is asked for before this. */
function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const handle = requestIdleCallback(() => setIdle(true), { timeout: 2_000 });
    return () => cancelIdleCallback(handle);
  }, []);
  return isIdle;
}

function streamOf(one: Activity['executions'][number] | Activity['imports'][number]): string {
  return isImport(one) ? `/api/imports/${one.pid}/stream` : `/api/meta/commands/executions/${one.pid}/stream`;
}

/** A state takes the place of what was known; the end is told, and what it has changed is read again. */
function onEvent(application: Application, { event, data }: StreamEvent): void {
  if (event === 'gap') void queries.invalidateQueries({ queryKey: ACTIVITY });
  if (event !== 'execution' && event !== 'import') return;
  const state = data as { readonly pid: string; readonly status: string };
  const merge = <One extends { readonly pid: string }>(all: readonly One[]): One[] =>
    all.map((one) => (one.pid === state.pid ? { ...one, ...state } : one));
  const before = queries.getQueryData<Activity>(ACTIVITY);
  const known = before && [...before.executions, ...before.imports].find(({ pid }) => pid === state.pid);
  queries.setQueryData<Activity>(
    ACTIVITY,
    (all) => all && { executions: merge(all.executions), imports: merge(all.imports) },
  );
  if (!known || hasEnded(known) || !hasEnded(state)) return;
  const name = isImport(known)
    ? importName(application, known)
    : (application.commands.find(({ code }) => code === known.commandCode)?.name ?? known.commandCode);
  say(state.status === 'SUCCEEDED' ? t('{name}: done', { name }) : t('{name}: not done. The tray says why.', { name }));
  void queries.invalidateQueries({ queryKey: ['records'] });
  void queries.invalidateQueries({ queryKey: ACTIVITY });
}
