import type { Actor } from '../auth/actor.ts';
import { newPid } from '../database/pid.ts';
import type { Transaction } from '../database/pool.ts';
import type { EventConsumer } from '../events/event-relay.ts';
import { insertDispatched, type DerivedEvent, type EventBody, type OutboxEvent } from '../events/outbox.ts';
import { hiddenFields, modelsOf, withoutFields } from '../metadata/hidden-fields.ts';
import { ADMIN_METADATA, permissionCode } from '../metadata/permission-codes.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { bindingRules } from '../records/row-rules.ts';
import { isVisible } from '../records/row-visibility.ts';
import { insertDeliveries, type NewDelivery } from './delivery-store.ts';
import type { Dispatcher } from './dispatcher.ts';
import { matchesFilter } from './event-filter.ts';
import { matchesEventType } from './event-pattern.ts';
import { subscriptionsFor, type MatchingSubscription } from './matching-subscription.ts';
import { RECORD_EVENT_TYPES, recordEventsOf } from './record-events.ts';
import { retryWindowMs } from './retry-policy.ts';

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
      const visible = await visibleBody(transaction, event, subscription, metadata);
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

interface VisibleBody {
  /** The text to send where it differs from the event's own. */
  readonly text: string | null;
  body(): EventBody;
}

/**
 * What a subscription may see of an event; null when that is nothing. It reads with the roles of whoever saved it: they
 * need `record:read` on every model that the event has records of, fields they may not read are left out, and so are
 * records that a row rule hides from them.
 */
async function visibleBody(
  transaction: Transaction,
  event: MatchedEvent,
  subscription: MatchingSubscription,
  metadata: Snapshot,
): Promise<VisibleBody | null> {
  const reader = readerOf(subscription, metadata);
  const command = metadata.commands.get(event.command_code);
  const isOfRecord = (RECORD_EVENT_TYPES as readonly string[]).includes(event.event_type);
  const models = new Set(command && !isOfRecord ? modelsOf(command) : []);
  if (event.model_code !== '') models.add(event.model_code);
  // What designers do is told to those who may do it, too.
  if (event.event_type.startsWith('meta:') && !reader.permissions.has(ADMIN_METADATA)) return null;
  for (const code of models) {
    if (!reader.permissions.has(permissionCode.recordRead(code))) return null;
    const model = metadata.models.get(code);
    if (!model || bindingRules(model, reader).length === 0) continue;
    // Whether a rule hides a record can be asked of the record that the event tells of; of others it stays unknown.
    if (code !== event.model_code || event.record_pid === null) return null;
    if (!(await isVisible(transaction, model, reader, event.record_pid))) return null;
  }
  const hidden = hiddenFields(models, metadata, reader.permissions);
  const whole = (): EventBody => JSON.parse(event.body) as EventBody;
  if (hidden.size === 0) return { text: null, body: whole };
  const body = whole();
  const visible = {
    ...body,
    payload: withoutFields(body.payload, hidden) as EventBody['payload'],
    result: withoutFields(body.result, hidden),
  };
  return { text: JSON.stringify(visible), body: () => visible };
}

function readerOf(subscription: MatchingSubscription, metadata: Snapshot): Actor {
  const { created_by: userPid, created_by_name: username, tenant_id: tenantId, roles } = subscription;
  return { userId: '', userPid, username, tenantId, roles, permissions: metadata.permissionsOf(roles), metadata };
}
