import { newPid } from '../../../foundation/database/pid.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import type { EventConsumer } from '../../../platform/events/event-relay.ts';
import { within, type EventVisibility } from '../../../platform/events/event-visibility.ts';
import { insertDispatched, type NewEvent, type OutboxEvent } from '../../../platform/events/outbox.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { insertDeliveries, type NewDelivery } from '../deliveries/delivery-queue.ts';
import type { DeliveryScheduler } from '../deliveries/delivery-scheduler.ts';
import { matchesFilter } from '../../../platform/events/event-filter.ts';
import { matchesEventType } from '../../../platform/events/event-pattern.ts';
import { subscriptionsFor, type MatchingSubscription } from './matching-subscription.ts';
import { recordEventsOf } from '../../../platform/events/record-events.ts';
import { retryWindowMs } from '../deliveries/retry-policy.ts';
import { readerOf, type SubscriptionReader } from './subscription-reader.ts';

/** `id` is that of the event it comes from, which stands for its place in the order of events. */
type MatchedEvent = NewEvent & { readonly id: string };

/**
 * Turns events into deliveries: one for each enabled subscription of the event's tenant and environment whose
 * * event type, model and filter match, and which may see the event. Spec: "Events", flow 4.
 */
export class EventMatcher implements EventConsumer {
  readonly #snapshots: SnapshotCache;
  readonly #visibility: EventVisibility;
  readonly #scheduler: DeliveryScheduler;
  readonly #scheduleMs: readonly number[];

  /** @param scheduleMs the delays of subscriptions that name none */
  constructor(
    snapshots: SnapshotCache,
    visibility: EventVisibility,
    scheduler: DeliveryScheduler,
    scheduleMs: readonly number[],
  ) {
    this.#snapshots = snapshots;
    this.#visibility = visibility;
    this.#scheduler = scheduler;
    this.#scheduleMs = scheduleMs;
  }

  async consume(transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>> {
    const subscriptions = await subscriptionsFor(transaction, events);
    const deliveries: NewDelivery[] = [];
    for (const event of subscriptions.length > 0 ? events : []) {
      const interested = subscriptions.filter(
        (subscription) => subscription.environment === event.environment && subscription.tenantId === event.tenantId,
      );
      const metadata = interested.length > 0 ? await this.#snapshots.current(event.environment) : null;
      for (const each of metadata ? await withRecordEvents(transaction, event, interested) : []) {
        deliveries.push(...(await this.#match(transaction, each, interested, metadata as Snapshot)));
      }
    }
    if (deliveries.length > 0) await insertDeliveries(transaction, deliveries);
    const queued = [...new Set(deliveries.map(({ subscriptionPid }) => subscriptionPid))];
    return async () => void (await this.#scheduler.dispatch(queued));
  }

  async #match(
    transaction: Transaction,
    event: MatchedEvent,
    subscriptions: readonly MatchingSubscription[],
    metadata: Snapshot,
  ): Promise<NewDelivery[]> {
    const matched: NewDelivery[] = [];
    for (const subscription of subscriptions) {
      if (!matchesEventType(subscription.eventType, event.eventType)) continue;
      if (subscription.modelCode !== null && subscription.modelCode !== event.modelCode) continue;
      const visible = await this.#visibility.visibleBody(
        within(transaction),
        event,
        readerOf(ownerOf(subscription), metadata),
      );
      if (!visible) continue;
      const { filterExpression: filter } = subscription;
      if (filter !== null && !matchesFilter(filter, visible.body())) continue;
      matched.push(this.#delivery(event, subscription, visible.text));
    }
    return matched;
  }

  #delivery(event: MatchedEvent, subscription: MatchingSubscription, body: string | null): NewDelivery {
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

/** The event, then the generic events of its records where a subscription asks for them. */
async function withRecordEvents(
  transaction: Transaction,
  event: OutboxEvent,
  subscriptions: readonly MatchingSubscription[],
): Promise<MatchedEvent[]> {
  const patterns = subscriptions.map(({ eventType: pattern }) => pattern);
  const derived = await recordEventsOf(transaction, event, patterns);
  if (derived.length === 0) return [event];
  await insertDispatched(transaction, derived);
  return [event, ...derived.map((each) => ({ ...each, id: event.id }))];
}

function ownerOf(subscription: MatchingSubscription): SubscriptionReader {
  const { tenantId, createdBy, createdByName, roles } = subscription;
  return { tenantId, createdBy, createdByName, roles };
}
