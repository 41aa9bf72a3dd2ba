import { newPid } from '../database/pid.ts';
import type { Transaction } from '../database/pool.ts';
import type { EventConsumer } from '../events/event-relay.ts';
import { insertDispatched, type DerivedEvent, type OutboxEvent } from '../events/outbox.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { insertDeliveries, type NewDelivery } from './delivery-queue.ts';
import type { Dispatcher } from './dispatcher.ts';
import { matchesFilter } from '../events/event-filter.ts';
import { matchesEventType } from '../events/event-pattern.ts';
import { subscriptionsFor, type MatchingSubscription } from './matching-subscription.ts';
import { RECORD_EVENT_TYPES, recordEventsOf } from '../events/record-events.ts';
import { retryWindowMs } from './retry-policy.ts';
import { readerOf, visibleBody, type SubscriptionReader } from './visible-body.ts';

/** `id` is that of the event it comes from, which stands for its place in the order of events. */
type MatchedEvent = DerivedEvent & { readonly id: string };

/**
 * Turns events into deliveries: one for each enabled subscription of the event's tenant and environment whose event type,
 * model and filter fit, and which may read what the event tells. Spec: "Events", flow 4.
 */
export class EventMatcher implements EventConsumer {
  readonly #snapshots: SnapshotCache;
  readonly #dispatcher: Dispatcher;
  readonly #scheduleMs: readonly number[];

  /** @param scheduleMs the delays of subscriptions that name none */
  constructor(snapshots: SnapshotCache, dispatcher: Dispatcher, scheduleMs: readonly number[]) {
    this.#snapshots = snapshots;
    this.#dispatcher = dispatcher;
    this.#scheduleMs = scheduleMs;
  }

  async consume(transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>> {
    const subscriptions = await subscriptionsFor(transaction, events);
    const deliveries: NewDelivery[] = [];
    for (const event of subscriptions.length > 0 ? events : []) {
      const interested = subscriptions.filter(
        (subscription) => subscription.environment === event.environment && subscription.tenant_id === event.tenant_id,
      );
      const metadata = interested.length > 0 ? await this.#snapshots.current(event.environment) : null;
      for (const each of metadata ? await withRecordEvents(transaction, event, interested) : []) {
        deliveries.push(...(await this.#match(transaction, each, interested, metadata as Snapshot)));
      }
    }
    if (deliveries.length > 0) await insertDeliveries(transaction, deliveries);
    const queued = [...new Set(deliveries.map(({ subscriptionPid }) => subscriptionPid))];
    return async () => void (await this.#dispatcher.dispatch(queued));
  }

  async #match(
    transaction: Transaction,
    event: MatchedEvent,
    subscriptions: readonly MatchingSubscription[],
    metadata: Snapshot,
  ): Promise<NewDelivery[]> {
    const matched: NewDelivery[] = [];
    for (const subscription of subscriptions) {
      if (!matchesEventType(subscription.event_type, event.event_type)) continue;
      if (subscription.model_code !== null && subscription.model_code !== event.model_code) continue;
      const visible = await visibleBody(transaction, event, readerOf(ownerOf(subscription), metadata));
      if (!visible) continue;
      const { filter_expression: filter } = subscription;
      if (filter !== null && !matchesFilter(filter, visible.body())) continue;
      matched.push(this.#delivery(event, subscription, visible.text));
    }
    return matched;
  }

  #delivery(event: MatchedEvent, subscription: MatchingSubscription, body: string | null): NewDelivery {
    const { max_retries: maxRetries, timeout_ms: timeoutMs, retry_schedule_ms: own } = subscription;
    return {
      pid: newPid(),
      environment: event.environment,
      tenantId: event.tenant_id,
      subscriptionPid: subscription.pid,
      eventPid: event.pid,
      eventId: event.id,
      eventType: event.event_type,
      modelCode: event.model_code,
      body,
      traceId: event.trace_id,
      windowMs: retryWindowMs({ maxRetries, timeoutMs, scheduleMs: own ?? this.#scheduleMs }),
      orderKey: subscription.ordering === 'record' ? event.record_pid : null,
    };
  }
}

/** The event, and behind it the generic ones of its records where somebody listens to such. */
async function withRecordEvents(
  transaction: Transaction,
  event: OutboxEvent,
  subscriptions: readonly MatchingSubscription[],
): Promise<MatchedEvent[]> {
  const isWanted = RECORD_EVENT_TYPES.some((type) =>
    subscriptions.some((subscription) => matchesEventType(subscription.event_type, type)),
  );
  const derived = isWanted ? await recordEventsOf(transaction, event) : [];
  if (derived.length === 0) return [event];
  await insertDispatched(transaction, derived);
  return [event, ...derived.map((each) => ({ ...each, id: event.id }))];
}

function ownerOf(subscription: MatchingSubscription): SubscriptionReader {
  const { tenant_id: tenantId, created_by: createdBy, created_by_name: createdByName, roles } = subscription;
  return { tenantId, createdBy, createdByName, roles };
}
