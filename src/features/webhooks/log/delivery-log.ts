import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import { EventEntity } from '../../../platform/events/outbox/event.entity.ts';
import type { EventVisibility } from '../../../platform/events/audience/event-visibility.ts';
import {
  AttemptEntity,
  DeliveryEntity,
  type Attempt,
  type Delivery,
  type DeliveryStatus,
} from '../deliveries/delivery.entity.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { deliveryHeaders } from '../deliveries/request-headers.ts';
import { SubscriptionEntity, type Subscription } from '../subscription.entity.ts';
import { readableHeaders } from '../subscriptions/present-subscription.ts';
import { maskHeaders } from '../masked-headers.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import type { EventEraser, EventConsequences, TracedDelivery } from '../../../platform/events/event-consequences.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { deleteOldEvents } from '../../../platform/events/outbox/outbox.ts';
import { RETENTION_BATCH } from '../webhooks.limits.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';
import { columnList, type RowOf } from '../../../foundation/database/columns.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';

const TRACED = columnList([
  'pid',
  'subscriptionPid',
  'eventPid',
  'status',
  'attemptCount',
  'createdAt',
  'finishedAt',
] satisfies (keyof TracedDelivery)[]);

/** The deliveries of events, for who may manage webhooks. */
export function tracedDeliveries(database: Database): NonNullable<EventConsequences['deliveries']> {
  return async ({ eventPids, limit }, { tenantId, metadata, permissions }) => {
    if (!permissions.has(WEBHOOK_MANAGE)) return [];
    return database.query<TracedDelivery>(
      `select ${TRACED} from platform.webhook_delivery
       where event_pid = any($1) and tenant_id = $2 and environment = $3 order by id limit $4`,
      [eventPids, tenantId, metadata.environment, limit],
    );
  };
}

/**
 * Forgets what is older than the webhook log is to be: ended deliveries with their attempts, recoveries, and
 * events.
 */
export function logRetention(orm: PlatformOrm, days: number): Retention {
  return {
    tables: ['webhook_delivery', 'webhook_attempt', 'webhook_recovery', 'event'],
    async purgeBatch() {
      const runner = sqlRunnerOf(orm.em.fork());
      const old = `created_at < now() - $1 * interval '1 day'`;
      const deliveries = await runner.query(
        `delete from platform.webhook_delivery where id in (select id from platform.webhook_delivery
           where ${old} and status not in ('PENDING', 'RETRYING') order by created_at limit ${RETENTION_BATCH}) returning 1`,
        [days],
      );
      // An event stays for as long as something has to be sent of it.
      const events = await deleteOldEvents(
        runner,
        days,
        RETENTION_BATCH,
        (pid) => `exists (select 1 from platform.webhook_delivery d where d.event_pid = ${pid})`,
      );
      await runner.query(`delete from platform.webhook_recovery where ${old} and status <> 'RUNNING'`, [days]);
      return deliveries.length === RETENTION_BATCH || events === RETENTION_BATCH;
    },
  };
}

/** Erases sent bodies and receivers' answers. A delivery without a body sends the event's. */
export const eraseDeliveries: EventEraser = async (transaction, eventPids) => {
  await transaction.query(
    `with erased as (
       update platform.webhook_delivery set body = null where event_pid = any($1) returning pid)
     update platform.webhook_attempt set response_headers = null, response_body = null where delivery_pid in (select pid from erased)`,
    [eventPids],
  );
};

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** What lists have of a delivery: not its body, which has up to a megabyte. */
export const LISTED = [
  'id',
  'pid',
  'subscriptionPid',
  'eventPid',
  'eventType',
  'modelCode',
  'status',
  'reason',
  'attemptCount',
  'nextAttemptAt',
  'createdAt',
  'finishedAt',
  'traceId',
] as const;
export type ListedDelivery = Pick<Delivery, (typeof LISTED)[number]>;
/** The same as SQL reads it. */
export type ListedRow = Pick<RowOf<typeof DeliveryEntity>, (typeof LISTED)[number]>;

/** A delivery with its attempts and what was, or will be, sent. */
export interface DeliveryDetails {
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
  /** What each attempt is sent to and with: as the subscription is now, without signatures and times. */
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** Null when the event is forgotten, or nothing that the reader may read. */
  readonly body: string | null;
  /** Whether fields were left out of it, so that responses, which may repeat them, are left out, too. */
  readonly isReduced: boolean;
}

/** What was delivered, and how that went. Spec: "Events", flow 6. */
export class DeliveryLog {
  readonly #orm: PlatformOrm;
  readonly #database: Database;
  readonly #visibility: EventVisibility;
  readonly #box: SecretBox;

  constructor(orm: PlatformOrm, database: Database, visibility: EventVisibility, box: SecretBox) {
    this.#orm = orm;
    this.#database = database;
    this.#visibility = visibility;
    this.#box = box;
  }

  /** A page of a subscription's deliveries, newest first. @throws NOT_FOUND */
  async page(
    actor: Actor,
    subscriptionPid: string,
    filter: DeliveryFilter,
    { pageNum, pageSize }: { pageNum: number; pageSize: number },
  ): Promise<{ records: ListedDelivery[]; total: number }> {
    const em = this.#orm.em.fork();
    await requireSubscription(em, actor, subscriptionPid);
    const [records, total] = await em.findAndCount(DeliveryEntity, where(subscriptionPid, filter), {
      orderBy: { id: 'desc' },
      limit: pageSize,
      offset: (pageNum - 1) * pageSize,
      // Up to a megabyte each, and no list shows them.
      exclude: ['body'],
    });
    return { records, total };
  }

  /**
   * The deliveries older than `before` (a delivery's id; null: from the newest on), for reading a long log
   * without counting it.
   * @returns them, and the id to go on from, or null at the end
   * @throws NOT_FOUND
   */
  async after(
    actor: Actor,
    subscriptionPid: string,
    filter: DeliveryFilter,
    before: string | null,
    limit: number,
  ): Promise<{ records: ListedDelivery[]; next: string | null }> {
    const em = this.#orm.em.fork();
    await requireSubscription(em, actor, subscriptionPid);
    const found = await em.find(
      DeliveryEntity,
      { ...where(subscriptionPid, filter), ...(before !== null && { id: { $lt: before } }) },
      { orderBy: { id: 'desc' }, limit: limit + 1, exclude: ['body'] },
    );
    const records = found.slice(0, limit);
    return { records, next: found.length > limit ? (records.at(-1)?.id ?? null) : null };
  }

  /** @throws NOT_FOUND */
  async get(actor: Actor, pid: string): Promise<DeliveryDetails> {
    const em = this.#orm.em.fork();
    const { tenantId, metadata } = actor;
    const delivery = await em.findOne(DeliveryEntity, { pid, tenantId, environment: metadata.environment });
    if (!delivery) throw notFound('There is no such delivery');
    const subscription = await em.findOne(SubscriptionEntity, { pid: delivery.subscriptionPid, deletedAt: null });
    if (!subscription) throw notFound('There is no such delivery');
    const request = this.#requestOf(delivery, subscription);
    const attempts = await em.find(AttemptEntity, { deliveryPid: pid }, { orderBy: { number: 'asc' } });
    const event = await em.findOne(EventEntity, { pid: delivery.eventPid });
    if (!event) return { delivery, attempts, request, body: null, isReduced: true };
    const { eventType, commandCode, modelCode, recordPid = null, origins = null } = event;
    const body = delivery.body ?? event.body;
    const readable = { eventType, commandCode, modelCode, recordPid, body, origins };
    const visible = await this.#visibility.visibleBody((work) => this.#database.transaction(work), readable, actor);
    if (!visible) return { delivery, attempts, request, body: null, isReduced: true };
    const isReduced = visible.text !== null && visible.text !== body;
    return { delivery, attempts, request, body: isReduced ? visible.text : body, isReduced };
  }

  #requestOf({ eventType, eventPid }: Delivery, subscription: Subscription): DeliveryDetails['request'] {
    const extra = maskHeaders(readableHeaders(subscription, this.#box) ?? {});
    const headers = deliveryHeaders({ eventType, eventPid, body: '', secrets: [], extra, now: new Date() });
    const ofAttempt = new Set(['X-Webhook-Timestamp', 'webhook-timestamp']);
    const lasting = Object.entries(headers).filter(([name]) => !ofAttempt.has(name));
    return { url: subscription.targetUrl, headers: Object.fromEntries(lasting) };
  }
}

/** @throws NOT_FOUND */
export async function requireSubscription(
  em: PlatformEntityManager,
  { tenantId, metadata }: Actor,
  pid: string,
  message: Message = 'There is no such subscription',
): Promise<void> {
  const where = { pid, tenantId, environment: metadata.environment, deletedAt: null };
  if ((await em.count(SubscriptionEntity, where)) === 0) throw notFound(message);
}

function where(subscriptionPid: string, { status, eventType, since, until }: DeliveryFilter) {
  return {
    subscriptionPid,
    ...(status !== undefined && { status }),
    ...(eventType !== undefined && { eventType }),
    ...((since || until) && { createdAt: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
  };
}
