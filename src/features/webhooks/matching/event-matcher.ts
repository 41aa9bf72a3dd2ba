import { newPid } from '../../../foundation/database/pid.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import type { EventConsumer } from '../../../platform/events/outbox/event-relay.ts';
import { insertDispatched, type NewEvent, type OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import { recordEventsOf } from '../../../platform/events/changes/record-events.ts';
import { includesRecordEvents } from '../../../platform/events/event-pattern.ts';
import { insertDeliveries, type NewDelivery } from '../deliveries/delivery-queue.ts';
import type { DeliveryScheduler } from '../deliveries/delivery-scheduler.ts';
import { retryWindowMs } from '../deliveries/retry-policy.ts';
import type { ListenersOf, Match, SubscriptionMatcher } from './subscription-matcher.ts';

/** `id` is that of the event it comes from, which stands for its place in the order of events. */
type MatchedEvent = NewEvent & { readonly id: string };

/**
 * Turns events into deliveries: one for each subscription that hears them. Spec: "Events", flow 4.
 * @param scheduleMs the delays of subscriptions that name none
 */
export function eventMatcher(
  matcher: SubscriptionMatcher,
  scheduler: DeliveryScheduler,
  scheduleMs: readonly number[],
): EventConsumer {
  return {
    async consume(transaction, events) {
      const listenersOf = await matcher.listenersFor(transaction, events);
      const published = await withRecordEvents(transaction, events, listenersOf);
      const matches = await matcher.match(transaction, published, listenersOf);
      const deliveries = matches.map((match) => toDelivery(match, scheduleMs));
      if (deliveries.length > 0) await insertDeliveries(transaction, deliveries);
      const queued = [...new Set(deliveries.map(({ subscriptionPid }) => subscriptionPid))];
      return async () => void (await scheduler.dispatch(queued));
    },
  };
}

function toDelivery({ event, subscription, body }: Match<MatchedEvent>, scheduleMs: readonly number[]): NewDelivery {
  const { maxRetries, timeoutMs, retryScheduleMs: own } = subscription;
  return {
    pid: newPid(),
    environment: event.environment,
    tenantId: event.tenantId,
    subscriptionPid: subscription.pid,
    eventPid: event.pid,
    eventId: event.id,
    eventType: event.eventType,
    modelCode: event.modelCode,
    body,
    traceId: event.traceId,
    windowMs: retryWindowMs({ maxRetries, timeoutMs, scheduleMs: own ?? scheduleMs }),
    orderKey: subscription.ordering === 'record' ? event.recordPid : null,
  };
}

/** Events, each with its generic ones behind it where one is listened for. */
async function withRecordEvents(
  transaction: Transaction,
  events: readonly OutboxEvent[],
  listenersOf: ListenersOf,
): Promise<MatchedEvent[]> {
  const derived = await recordEventsOf(transaction, events, (event) =>
    includesRecordEvents(listenersOf(event).map(({ subscription }) => subscription.eventType)),
  );
  const generic = [...derived.values()].flat();
  if (generic.length > 0) await insertDispatched(transaction, generic);
  return events.flatMap((source) => [
    source,
    ...(derived.get(source.pid) ?? []).map((each) => ({ ...each, id: source.id })),
  ]);
}
