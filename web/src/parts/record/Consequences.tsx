import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { plural, t, type TextKey } from '../../app/texts.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './Consequences.module.css';

type Trace = Schemas['Trace'];
type Event = Trace['events'][number];
type Execution = Trace['executions'][number];
type Run = Trace['runs'][number];

interface ConsequencesProps {
  readonly traceId: string;
  readonly executionPid: string | null;
}

/** What a change has caused: its command, events, their deliveries, and the runs that they have started. */
export default function Consequences({ traceId, executionPid }: ConsequencesProps) {
  const { data, error } = useQuery({
    queryKey: ['trace', traceId],
    queryFn: ({ signal }) => ask('GET /api/meta/trace/{traceId}', { params: { traceId }, signal }),
  });
  if (error) return <Problem title={shown(error).title} traceId={shown(error).traceId} />;
  if (!data) return <Skeleton width={50} />;
  const own = data.executions.find(({ pid }) => pid === executionPid);
  if (!own)
    return <p className={styles.none}>{t('Only those who may read executions see what others have caused.')}</p>;
  return (
    <ul className={styles.tree}>
      <ExecutionLine execution={own} />
    </ul>
  );
}

function ExecutionLine({ execution }: { readonly execution: Execution }) {
  const { commandCode, status, finishedAt, events } = execution;
  return (
    <Line kind="Command" name={commandCode} status={status} at={finishedAt}>
      {events.length === 0 ? null : events.map((event) => <EventLine key={event.pid} event={event} />)}
    </Line>
  );
}

function EventLine({ event: { eventType, deliveries, runs } }: { readonly event: Event }) {
  return (
    <Line kind="Event" name={eventType}>
      {deliveries.map(({ pid, status, attemptCount, finishedAt }) => (
        <Line
          key={pid}
          kind="Delivery"
          name={plural(attemptCount, '{count} attempt', '{count} attempts')}
          status={status}
          at={finishedAt}
        />
      ))}
      {runs.map((run) => (
        <RunLine key={run.runPid} run={run} />
      ))}
    </Line>
  );
}

function RunLine({ run: { automationCode, status, finishedAt, executions, events } }: { readonly run: Run }) {
  return (
    <Line kind="Run" name={automationCode} status={status} at={finishedAt}>
      {(executions as unknown as readonly Execution[]).map((execution) => (
        <ExecutionLine key={execution.pid} execution={execution} />
      ))}
      {(events as unknown as readonly Event[]).map((event) => (
        <EventLine key={event.pid} event={event} />
      ))}
    </Line>
  );
}

interface LineProps {
  readonly kind: TextKey;
  readonly name: string;
  readonly status?: string;
  readonly at?: string | null;
  readonly children?: ReactNode;
}

const STATUSES: Readonly<Record<string, readonly [name: TextKey, tone: 'good' | 'bad' | 'open']>> = {
  RECEIVED: ['accepted', 'open'],
  PENDING: ['not begun', 'open'],
  RUNNING: ['running', 'open'],
  RETRYING: ['trying again', 'open'],
  WAITING: ['waiting', 'open'],
  SUCCEEDED: ['succeeded', 'good'],
  FAILED: ['failed', 'bad'],
  CANCELLED: ['cancelled', 'bad'],
};

function Line({ kind, name, status, at, children }: LineProps) {
  const [word, tone] = STATUSES[status ?? ''] ?? [];
  return (
    <li>
      <p className={styles.line}>
        <span className={styles.kind}>{t(kind)}</span>
        <span className={styles.name}>{name}</span>
        {word && (
          <span className={styles.status} data-tone={tone}>
            {t(word)}
          </span>
        )}
        {typeof at === 'string' && (
          <time dateTime={at} title={formatWholeMoment(at)}>
            {formatMoment(at)}
          </time>
        )}
      </p>
      {children !== undefined && children !== null && <ul className={styles.tree}>{children}</ul>}
    </li>
  );
}
