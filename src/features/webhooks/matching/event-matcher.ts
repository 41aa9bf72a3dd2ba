import { newPid } from '../../../foundation/database/pid.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import type { EventConsumer } from '../../../platform/events/event-relay.ts';
import { within, type EventVisibility } from '../../../platform/events/event-visibility.ts';
import { insertDispatched, type NewEvent, type OutboxEvent } from '../../../platform/events/outbox.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { insertDeliveries, type NewDelivery } from '../deliveries/delivery-queue.ts';
import type { DeliveryScheduler } from '../deliveries/delivery-scheduler.ts';
import { matchesFilter } from '../../../platform/events/event-filter.ts';
import { matchesEventType } from '../../../platform/events/event-pattern.ts';
import { subscriptionsFor, type MatchingSubscription } from './matching-subscription.ts';
import { includesRecordEvents, recordEventsOf } from '../../../platform/events/record-events.ts';
import { retryWindowMs } from '../deliveries/retry-policy.ts';
import { suspensionOfOwned } from '../../../platform/auth/accounts/left-behind.ts';
import { readerOf } from './subscription-reader.ts';

/** `id` is that of the event it comes from, which stands for its place in the order of events. */
type MatchedEvent = NewEvent & { readonly id: string };

/** A subscription that an event may be for. */
interface Candidate {
  readonly event: MatchedEvent;
  readonly subscription: MatchingSubscription;
  readonly reader: Actor;
}

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
    const subscriptions = await this.#unpaused(await subscriptionsFor(transaction, events));
    const candidates = await this.#candidates(transaction, events, subscriptions);
    const bodies = await this.#visibility.visibleBodies(within(transaction), candidates);
    const deliveries = candidates.flatMap(({ event, subscription }, index) => {
      const visible = bodies[index];
      const { filterExpression: filter } = subscription;
      if (!visible || (filter !== null && !matchesFilter(filter, visible.body()))) return [];
      return [this.#delivery(event, subscription, visible.text)];
    });
    if (deliveries.length > 0) await insertDeliveries(transaction, deliveries);
    const queued = [...new Set(deliveries.map(({ subscriptionPid }) => subscriptionPid))];
    return async () => void (await this.#scheduler.dispatch(queued));
  }

  async #unpaused(subscriptions: readonly MatchingSubscription[]): Promise<MatchingSubscription[]> {
    const environments = new Set(subscriptions.map(({ environment }) => environment));
    const current = await Promise.all(
      [...environments].map(async (code) => [code, await this.#snapshots.current(code)] as const),
    );
    const snapshots = new Map(current);
    return subscriptions.filter((one) => {
      const metadata = snapshots.get(one.environment);
      return metadata && suspensionOfOwned(one, one.ownerRoles, metadata) === null;
    });
  }

  /** The pairs whose event type and model match, in the order of the events. */
  async #candidates(
    transaction: Transaction,
    events: readonly OutboxEvent[],
    subscriptions: readonly MatchingSubscription[],
  ): Promise<Candidate[]> {
    const byOwner = Map.groupBy(subscriptions, ownerKey);
    const interested = events.filter((event) => byOwner.has(ownerKey(event)));
    const readers = await this.#readers(subscriptions);
    const derived = await recordEventsOf(transaction, interested, (event) =>
      includesRecordEvents((byOwner.get(ownerKey(event)) ?? []).map(({ eventType }) => eventType)),
    );
    const generic = [...derived.values()].flat();
    if (generic.length > 0) await insertDispatched(transaction, generic);
    return interested.flatMap((source) => {
      const own = byOwner.get(ownerKey(source)) ?? [];
      const matched = [source, ...(derived.get(source.pid) ?? []).map((each) => ({ ...each, id: source.id }))];
      return matched.flatMap((event) =>
        own
          .filter((subscription) => isInterested(subscription, event))
          .map((subscription) => ({ event, subscription, reader: readers.get(subscription) as Actor })),
      );
    });
  }

  async #readers(subscriptions: readonly MatchingSubscription[]): Promise<ReadonlyMap<MatchingSubscription, Actor>> {
    const environments = [...Map.groupBy(subscriptions, ({ environment }) => environment)];
    const readers = environments.map(async ([environment, own]) => {
      const metadata = await this.#snapshots.current(environment);
      return own.map((subscription) => [subscription, readerOf(subscription, metadata)] as const);
    });
    return new Map((await Promise.all(readers)).flat());
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

function isInterested({ eventType, modelCode }: MatchingSubscription, event: MatchedEvent): boolean {
  return matchesEventType(eventType, event.eventType) && (modelCode === null || modelCode === event.modelCode);
}

function ownerKey({ environment, tenantId }: Pick<OutboxEvent, 'environment' | 'tenantId'>): string {
  return `${environment}:${tenantId}`;
}
