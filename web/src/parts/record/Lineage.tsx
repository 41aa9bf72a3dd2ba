import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../app/api.d.ts';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { plural, t, type TextKey } from '../../app/texts.ts';
import styles from './Lineage.module.css';

type Trace = Schemas['Trace'];
type Event = Trace['events'][number];
type Execution = Trace['executions'][number];
type Run = Trace['runs'][number];

export function ExecutionLine({ execution }: { readonly execution: Execution }) {
  const { pid, commandCode, status, finishedAt, events } = execution;
  const name = (
    <Link to="/operate/executions" search={{ open: pid }}>
      {commandCode}
    </Link>
  );
  return (
    <Line kind="Command" name={name} status={status} at={finishedAt}>
      {events.length === 0 ? null : events.map((event) => <EventLine key={event.pid} event={event} />)}
    </Line>
  );
}

export function EventLine({ event: { eventType, deliveries, runs } }: { readonly event: Event }) {
  return (
    <Line kind="Event" name={eventType}>
      {deliveries.map(({ pid, status, attemptCount, finishedAt }) => (
        <Line
          key={pid}
          kind="Delivery"
          name={
            <Link to="/operate/deliveries" search={{ open: pid }}>
              {plural(attemptCount, '{count} attempt', '{count} attempts')}
            </Link>
          }
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

export function RunLine({
  run: { runPid, automationCode, status, finishedAt, executions, events },
}: {
  readonly run: Run;
}) {
  const name = (
    <Link to="/operate/runs/$runPid" params={{ runPid }}>
      {automationCode}
    </Link>
  );
  return (
    <Line kind="Run" name={name} status={status} at={finishedAt}>
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
  readonly name: ReactNode;
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
