import { newPid } from '../../../foundation/database/pid.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import type { EventConsumer } from '../../../platform/events/outbox/event-relay.ts';
import { insertDispatched, type NewEvent, type OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import { includesRecordEvents, recordEventsOf } from '../../../platform/events/changes/record-events.ts';
import { insertDeliveries, type NewDelivery } from '../deliveries/delivery-queue.ts';
import type { DeliveryScheduler } from '../deliveries/delivery-scheduler.ts';
import { retryWindowMs } from '../deliveries/retry-policy.ts';
import type { ListenersOf, Match, SubscriptionMatcher } from './subscription-matcher.ts';

/** `id` is that of the event it comes from, which stands for its place in the order of events. */
type MatchedEvent = NewEvent & { readonly id: string };

/** Turns events into deliveries: one for each subscription that hears them. Spec: "Events", flow 4. */
export class EventMatcher implements EventConsumer {
  readonly #matcher: SubscriptionMatcher;
  readonly #scheduler: DeliveryScheduler;
  readonly #scheduleMs: readonly number[];

  /** @param scheduleMs the delays of subscriptions that name none */
  constructor(matcher: SubscriptionMatcher, scheduler: DeliveryScheduler, scheduleMs: readonly number[]) {
    this.#matcher = matcher;
    this.#scheduler = scheduler;
    this.#scheduleMs = scheduleMs;
  }

  async consume(transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>> {
    const listenersOf = await this.#matcher.listenersFor(transaction, events);
    const told = await withRecordEvents(transaction, events, listenersOf);
    const matches = await this.#matcher.match(transaction, told, listenersOf);
    const deliveries = matches.map((match) => this.#delivery(match));
    if (deliveries.length > 0) await insertDeliveries(transaction, deliveries);
    const queued = [...new Set(deliveries.map(({ subscriptionPid }) => subscriptionPid))];
    return async () => void (await this.#scheduler.dispatch(queued));
  }

  #delivery({ event, subscription, body }: Match<MatchedEvent>): NewDelivery {
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
      windowMs: retryWindowMs({ maxRetries, timeoutMs, scheduleMs: own ?? this.#scheduleMs }),
      orderKey: subscription.ordering === 'record' ? event.recordPid : null,
    };
  }
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
