import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { toneOf } from '../../parts/activity/statuses.ts';
import { ChoiceChip } from '../../parts/operate/ChoiceChip.tsx';
import { formatDuration } from '../../parts/operate/duration.ts';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { MoreRows } from '../../parts/operate/MoreRows.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { timeOptions } from '../../parts/operate/since.ts';
import { useAddress } from '../../parts/operate/use-address.ts';
import { useSteps } from '../../parts/operate/use-steps.ts';
import { answerName, deliveryStatus, outcomeOf } from '../../parts/webhooks/delivery-texts.ts';
import { DeliveryPanel } from '../../parts/webhooks/DeliveryPanel.tsx';
import {
  deliveriesQuery,
  eventTypesQuery,
  STATUS_CLASSES,
  STATUSES,
  subscriptionsQuery,
  webhooksChanged,
  type LoggedDelivery,
} from '../../parts/webhooks/webhook-queries.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';

/** As many are sent again by one request. */
const MOST_RESENT = 100;

/** The log of all deliveries, with the one that is open beside it. */
export function DeliveriesScreen() {
  const [address, change] = useAddress();
  const { open, state, answer, event, webhook, time } = address;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const found = useInfiniteQuery(deliveriesQuery(address));
  const { data: subscriptions } = useQuery(subscriptionsQuery);
  const { data: types = [] } = useQuery(eventTypesQuery);
  const rows = found.data?.pages.flatMap(({ records }) => records) ?? [];
  const sendable = rows.filter(({ pid, status }) => chosen.has(pid) && status !== 'PENDING');
  useSteps(
    rows.map(({ pid }) => pid),
    open,
    (pid) => change({ open: pid }, { isReplacing: true }),
  );
  const isFiltered = [state, answer, event, webhook, time].some((one) => one !== undefined);

  async function resend() {
    const left = sendable.map(({ pid }) => pid);
    let count = 0;
    try {
      while (left.length > 0) {
        const { resent } = await ask('POST /api/webhooks/deliveries/resend', {
          body: { pids: left.slice(0, MOST_RESENT) },
        });
        left.splice(0, MOST_RESENT);
        count += resent.length;
      }
      say(plural(count, '{count} delivery is sent again.', '{count} deliveries are sent again.'));
    } catch (error) {
      say(shown(error).title);
    }
    // What was not reached stays chosen.
    setChosen(new Set(left));
    await webhooksChanged();
  }
  return (
    <LogScreen
      title={t('Deliveries')}
      actions={
        sendable.length > 0 && (
          <Button look="primary" onClick={() => void resend()}>
            {plural(sendable.length, 'Send {count} delivery again', 'Send {count} deliveries again')}
          </Button>
        )
      }
      filters={
        <>
          <ChoiceChip
            label={t('State')}
            value={state}
            options={STATUSES.map((one) => [one, deliveryStatus(one)])}
            onChange={(next) => change({ state: next })}
          />
          <ChoiceChip
            label={t('Answer')}
            value={answer}
            options={STATUS_CLASSES.map((one) => [one, answerName(one)])}
            onChange={(next) => change({ answer: next })}
          />
          <ChoiceChip
            label={t('Event')}
            value={event}
            options={[...new Set(types.map(({ eventType }) => eventType))].map((one) => [one, one])}
            onChange={(next) => change({ event: next })}
          />
          <ChoiceChip
            label={t('Webhook')}
            value={webhook}
            options={(subscriptions?.records ?? []).map(({ pid, name }) => [pid, name])}
            onChange={(next) => change({ webhook: next })}
          />
          <ChoiceChip
            label={t('Time')}
            value={time}
            options={timeOptions()}
            onChange={(next) => change({ time: next })}
          />
        </>
      }
      panel={open !== undefined && <DeliveryPanel key={open} pid={open} onClose={() => change({ open: undefined })} />}
    >
      <Found
        query={found}
        isEmpty={rows.length === 0}
        none={
          isFiltered ? (
            <Blank title={t('No delivery is like this')} advice={t('Remove a filter to see more.')} />
          ) : (
            <Blank
              title={t('Nothing was sent yet')}
              advice={t('What webhooks send appears here, attempt by attempt.')}
            />
          )
        }
      >
        <LogTable
          label={t('Deliveries')}
          columns={columns(rows, chosen, setChosen, open !== undefined)}
          rows={rows}
          keyOf={({ pid }) => pid}
          openKey={open}
        />
        <MoreRows query={found} />
      </Found>
    </LogScreen>
  );
}

function columns(
  rows: readonly LoggedDelivery[],
  chosen: ReadonlySet<string>,
  onChoose: (chosen: ReadonlySet<string>) => void,
  isNarrow: boolean,
): LogColumn<LoggedDelivery>[] {
  const toggle = (pid: string) => {
    const next = new Set(chosen);
    if (!next.delete(pid)) next.add(pid);
    onChoose(next);
  };
  const areAllChosen = rows.every(({ pid }) => chosen.has(pid));
  const all: LogColumn<LoggedDelivery>[] = [
    {
      label: t('Time'),
      head: (
        <input
          type="checkbox"
          aria-label={t('Select all')}
          checked={areAllChosen}
          onChange={() => onChoose(new Set(areAllChosen ? [] : rows.map(({ pid }) => pid)))}
        />
      ),
      cell: ({ pid, createdAt, eventType }) => (
        <>
          <input
            type="checkbox"
            aria-label={t('Choose {event}', { event: eventType })}
            checked={chosen.has(pid)}
            onChange={() => toggle(pid)}
          />{' '}
          <Moment at={createdAt} />
        </>
      ),
    },
    {
      label: t('Event'),
      cell: ({ pid, eventType }) => (
        <Link to="." search={(before) => ({ ...before, open: pid })}>
          {eventType}
        </Link>
      ),
    },
    {
      label: t('State'),
      cell: ({ status }) => <StatusMark tone={toneOf(status)}>{deliveryStatus(status)}</StatusMark>,
    },
    {
      label: t('Endpoint'),
      cell: ({ subscriptionName, targetUrl }) => <span title={targetUrl}>{`${subscriptionName} · ${targetUrl}`}</span>,
      isMinor: true,
      isWide: true,
    },
    { label: t('Answer'), cell: ({ lastAttempt }) => (lastAttempt ? outcomeOf(lastAttempt) : '') },
    {
      label: t('Attempt'),
      cell: ({ attemptCount, maxAttempts }) =>
        t('{count} of {most}', { count: attemptCount, most: Math.max(attemptCount, maxAttempts) }),
      isNumber: true,
    },
    {
      label: t('Took'),
      cell: ({ lastAttempt }) =>
        typeof lastAttempt?.durationMs === 'number' ? formatDuration(lastAttempt.durationMs) : '',
      isNumber: true,
      isMinor: true,
    },
  ];
  return isNarrow ? all.filter(({ isMinor }) => !isMinor) : all;
}
