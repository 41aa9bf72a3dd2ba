import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { adviceFor, componentName } from '../../parts/health/advice.ts';
import { detailsText } from '../../parts/health/details.ts';
import {
  gaugeOf,
  minutesOf,
  operationsQuery,
  type Component,
  type Operations,
  type OperationsNode,
} from '../../parts/health/operations-query.ts';
import { Spark } from '../../parts/health/Spark.tsx';
import { formatDuration } from '../../parts/operate/duration.ts';
import { Facts } from '../../parts/operate/Facts.tsx';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import styles from './HealthScreen.module.css';

/** How the service is, and what to do: its parts, nodes, queues, rates. Looked at every 15 seconds. */
export function HealthScreen() {
  const found = useQuery(operationsQuery);
  const { data } = found;
  return (
    <LogScreen
      title={t('Health')}
      actions={
        data &&
        !found.error && (
          <StatusMark tone={data.health.status === 'UP' ? 'good' : 'bad'}>
            {data.health.status === 'UP' ? t('Everything is up') : t('Something is down')}
          </StatusMark>
        )
      }
    >
      <Found query={found}>
        {data && (
          <div className={styles.health}>
            <WhatToDo operations={data} />
            <Rates nodes={data.nodes} />
            <div className={styles.columns}>
              <Parts components={data.health.components} />
              <Queues operations={data} />
            </div>
            <section aria-label={t('Nodes')} className={styles.part}>
              <h2>{t('Nodes')}</h2>
              <div className={styles.wide}>
                <LogTable
                  label={t('Nodes')}
                  columns={nodeColumns()}
                  rows={data.nodes}
                  keyOf={({ host, pid, startedAt }) => `${host} ${pid} ${startedAt}`}
                />
              </div>
            </section>
          </div>
        )}
      </Found>
    </LogScreen>
  );
}

function WhatToDo({ operations }: { readonly operations: Operations }) {
  const advice = adviceFor(operations);
  return (
    <section aria-label={t('What to do')} className={styles.part}>
      <h2>{t('What to do')}</h2>
      {advice.length === 0 ? (
        <p className={styles.quiet}>{t('Nothing: all is well.')}</p>
      ) : (
        <ul className={styles.advice}>
          {advice.map(({ key, isUrgent, text, section }) => (
            <li key={key}>
              <StatusMark tone={isUrgent ? 'bad' : 'waiting'}>{text}</StatusMark>{' '}
              <span className={styles.quiet}>{t('See docs/operations.md, “{section}”', { section })}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Rates({ nodes }: { readonly nodes: readonly OperationsNode[] }) {
  const minutes = minutesOf(nodes);
  return (
    <section aria-label={t('The last hour, by the minute')} className={styles.part}>
      <h2>{t('The last hour, by the minute')}</h2>
      <div className={styles.sparks}>
        <Spark label={t('Requests')} minutes={minutes} valueOf={({ requests }) => requests} format={formatNumber} />
        <Spark
          label={t('Answered within (95%)')}
          minutes={minutes}
          valueOf={({ p95Ms }) => p95Ms}
          format={formatDuration}
        />
        <Spark
          label={t('Failed requests')}
          minutes={minutes}
          valueOf={({ errors }) => errors}
          format={formatNumber}
          isBad
        />
        <Spark label={t('Commands')} minutes={minutes} valueOf={({ commands }) => commands} format={formatNumber} />
        <Spark
          label={t('Webhook attempts')}
          minutes={minutes}
          valueOf={({ webhookAttempts }) => webhookAttempts}
          format={formatNumber}
        />
      </div>
    </section>
  );
}

function Parts({ components }: { readonly components: Readonly<Record<string, Component>> }) {
  return (
    <section aria-label={t('Parts')} className={styles.part}>
      <h2>{t('Parts')}</h2>
      <ul className={styles.parts}>
        {Object.entries(components).map(([name, { status, details }]) => (
          <li key={name}>
            <StatusMark tone={status === 'UP' ? 'good' : 'bad'}>{componentName(name)}</StatusMark>
            <span className={styles.quiet}>{detailsText(details)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Queues({ operations }: { readonly operations: Operations }) {
  const count = (name: string, labels?: Readonly<Record<string, string>>) =>
    formatNumber(gaugeOf(operations, name, labels));
  return (
    <section aria-label={t('Queues')} className={styles.part}>
      <h2>{t('Queues')}</h2>
      <Facts
        facts={[
          [t('Deliveries that wait for a turn'), count('webhook_deliveries', { state: 'queued' })],
          [t('Deliveries on their way'), count('webhook_deliveries', { state: 'in_flight' })],
          [t('Deliveries that wait for a retry'), count('webhook_deliveries', { state: 'waiting' })],
          [t('Open circuits'), count('webhook_circuits_open')],
          [t('Events that cannot be matched'), count('events_postponed')],
          [t('Commands that wait to begin'), count('command_lane_waiting')],
          [t('Unfinished builds of tables'), count('table_builds')],
        ]}
      />
    </section>
  );
}

function nodeColumns(): LogColumn<OperationsNode>[] {
  return [
    { label: t('Host'), cell: ({ host, pid }) => `${host} · ${pid}` },
    { label: t('Roles'), cell: ({ roles }) => roles.join(', ') },
    {
      label: t('Version'),
      cell: ({ version, commit }) => (commit === null ? version : `${version} · ${commit.slice(0, 8)}`),
      isWide: true,
    },
    { label: t('Begun'), cell: ({ startedAt }) => <Moment at={startedAt} />, isNumber: true },
    { label: t('Seen'), cell: ({ seenAt }) => <Moment at={seenAt} />, isNumber: true },
  ];
}
