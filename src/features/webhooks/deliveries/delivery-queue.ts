import { columnList, toRecordset, type RowOf } from '../../../foundation/database/columns.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { hasOlderUndispatched } from '../../../platform/events/outbox/outbox.ts';
import type { DeliveryEntity } from './delivery.entity.ts';
import { LEASE_MS, OVERDUE_RETRY_MS, SWEEP_BATCH } from '../webhooks.limits.ts';

const NEW_DELIVERY = [
  'pid',
  'environment',
  'tenantId',
  'subscriptionPid',
  'eventPid',
  'eventId',
  'eventType',
  'modelCode',
  'body',
  'traceId',
  'orderKey',
] as const;

/** A delivery to be made, all its retries within `windowMs`. */
export type NewDelivery = Pick<RowOf<typeof DeliveryEntity>, (typeof NEW_DELIVERY)[number]> & {
  readonly windowMs: number;
};

/** Queues deliveries. One event gives a subscription one delivery, however often this is tried. */
export async function insertDeliveries(transaction: SqlRunner, deliveries: readonly NewDelivery[]): Promise<void> {
  await transaction.query(
    `insert into platform.webhook_delivery (${columnList(NEW_DELIVERY)}, status, next_trigger, expires_at, queued_at)
     select ${columnList(NEW_DELIVERY, 'd')}, 'PENDING', 'event', now() + (j ->> 'window_ms')::float8 * interval '1 millisecond', now()
     from jsonb_array_elements($1::jsonb) j, jsonb_populate_record(null::platform.webhook_delivery, j) d
     on conflict (event_pid, subscription_pid) do nothing`,
    [toRecordset(deliveries)],
  );
}

const GRANTED = [
  'pid',
  'environment',
  'tenantId',
  'subscriptionPid',
  'eventType',
  'status',
  'attemptCount',
  'traceId',
] as const;

/** A delivery that has got a slot, or whose workflow has to hear that it is over. */
export type Granted = Pick<RowOf<typeof DeliveryEntity>, (typeof GRANTED)[number]>;

/**
 * A record's deliveries go out in the order of its events, one after the other: none before an older one has
 * ended, or while an older event of the record is still to be matched.
 */
const IN_ORDER = `(d.order_key is null or not exists (
    select 1 from platform.webhook_delivery o where o.subscription_pid = d.subscription_pid and o.order_key = d.order_key
      and (o.event_id, o.id) < (d.event_id, d.id) and o.status in ('PENDING', 'RETRYING'))
  and not ${hasOlderUndispatched('d')})`;

/**
 * Gives free slots to the deliveries that have waited longest. An open circuit has none, one that is being
 * probed has one; a rate limit gives no more than it has tokens for.
 */
const GRANT = `with capacity as (
  select e.subscription_pid, s.timeout_ms, s.rate_limit_per_second as rate,
    least(s.rate_limit_per_second, e.tokens + s.rate_limit_per_second * extract(epoch from clock_timestamp() - e.refilled_at)) as tokens,
    case when e.open_until > clock_timestamp() then 0 when $2 > 0 and e.failures >= $2 then 1 else least(e.slots, $3) end
      - (select count(*) from platform.webhook_delivery d
         where d.subscription_pid = e.subscription_pid and d.slot_until > clock_timestamp()) as free
  from platform.webhook_endpoint e join platform.webhook_subscription s on s.pid = e.subscription_pid
  where e.subscription_pid = any($1)
), picked as (
  select q.id, c.subscription_pid, c.timeout_ms
  from capacity c cross join lateral (
    select d.id from platform.webhook_delivery d
    where d.subscription_pid = c.subscription_pid and d.queued_at is not null and d.status in ('PENDING', 'RETRYING') and ${IN_ORDER}
    order by d.queued_at, d.id
    limit greatest(0, least(c.free, coalesce(floor(c.tokens), c.free), $4))
    for update skip locked) q
), spent as (
  update platform.webhook_endpoint e
  set tokens = c.tokens - (select count(*) from picked p where p.subscription_pid = c.subscription_pid), refilled_at = clock_timestamp()
  from capacity c where c.subscription_pid = e.subscription_pid and c.rate is not null
)
update platform.webhook_delivery d
set queued_at = null, slot_until = clock_timestamp() + (p.timeout_ms + ${LEASE_MS}) * interval '1 millisecond'
from picked p where d.id = p.id
returning ${columnList(GRANTED, 'd')}`;

/**
 * Ended deliveries whose workflows still wait for something. What another transaction holds is left to the
 * next.
 */
const DISMISS = `update platform.webhook_delivery d set queued_at = null
where d.id in (select q.id from platform.webhook_delivery q
  where q.subscription_pid = any($1) and q.queued_at is not null and q.status not in ('PENDING', 'RETRYING') for update skip locked)
returning ${columnList(GRANTED, 'd')}`;

interface Bounds {
  /** So many failures in a row mean that an endpoint is only probed; 0: none do. */
  readonly circuitFailures: number;
  /** Of one subscription. */
  readonly maxInFlight: number;
  /** For each of the subscriptions at most. */
  readonly most: number;
}

export async function leaseSlots(
  transaction: SqlRunner,
  subscriptionPids: readonly string[],
  { circuitFailures, maxInFlight, most }: Bounds,
): Promise<Granted[]> {
  // The lock is a statement of its own: what it waited for must be visible to the counting.
  const locked = transaction.query(
    'select 1 from platform.webhook_endpoint where subscription_pid = any($1) order by subscription_pid for update',
    [subscriptionPids],
  );
  const granted = transaction.query<Granted>(GRANT, [subscriptionPids, circuitFailures, maxInFlight, most]);
  const dismissed = transaction.query<Granted>(DISMISS, [subscriptionPids]);
  const [, ...both] = await Promise.all([locked, granted, dismissed]);
  return both.flat();
}

/** A delivery whose time was over before its retries were. */
export type Expired = Pick<Granted, 'subscriptionPid' | 'traceId'>;

/**
 * Puts back into the queue what has lost its workflow or its worker: a slot that ran out, a retry that is
 * overdue. Ends what has been waiting for longer than its retries may take. Each in batches, by its index.
 * @returns the subscriptions that have deliveries waiting; of each that something has expired of, one such
 *   delivery
 */
export async function sweepDeliveries(runner: SqlRunner): Promise<{ waiting: string[]; expired: Expired[] }> {
  const rows = await runner.query<{ subscriptionPid: string; expired: string | null }>(
    `with requeued as (
       update platform.webhook_delivery set queued_at = now(), slot_until = null where id in (
         select id from platform.webhook_delivery where slot_until < now() and status in ('PENDING', 'RETRYING')
         order by slot_until limit ${SWEEP_BATCH} for update skip locked)
       returning subscription_pid
     ), overdue as (
       update platform.webhook_delivery set queued_at = now(), next_attempt_at = null where id in (
         select id from platform.webhook_delivery where next_attempt_at < now() - interval '${OVERDUE_RETRY_MS} milliseconds'
           and status = 'RETRYING' and queued_at is null and slot_until is null
         order by next_attempt_at limit ${SWEEP_BATCH} for update skip locked)
       returning subscription_pid
     ), waiting as (
       select e.subscription_pid, q.id from platform.webhook_endpoint e cross join lateral (
         select d.id from platform.webhook_delivery d where d.subscription_pid = e.subscription_pid and d.queued_at is not null
         order by d.queued_at, d.id limit ${SWEEP_BATCH}) q
     ), expired as (
       update platform.webhook_delivery set status = 'FAILED', reason = 'expired', finished_at = now(), next_attempt_at = null
       where id in (select id from waiting) and expires_at < now() and status in ('PENDING', 'RETRYING')
       returning subscription_pid, trace_id
     )
     select w.subscription_pid, (select min(trace_id) from expired e where e.subscription_pid = w.subscription_pid) as expired
     from (select subscription_pid from waiting
       union select subscription_pid from requeued union select subscription_pid from overdue) w`,
  );
  return {
    waiting: rows.map((row) => row.subscriptionPid),
    expired: rows.flatMap(({ subscriptionPid: pid, expired: traceId }) =>
      traceId === null ? [] : [{ subscriptionPid: pid, traceId }],
    ),
  };
}

/**
 * Puts a delivery back that has been granted a slot, or told that it is over, and whose workflow could not be
 * reached.
 */
export async function requeue(runner: SqlRunner, { pid, attemptCount: attempts }: Granted): Promise<void> {
  await runner.query(
    `update platform.webhook_delivery set queued_at = now(), slot_until = case when status in ('PENDING', 'RETRYING') then null else slot_until end
     where pid = $1 and attempt_count = $2 and queued_at is null
       and (slot_until is not null or status not in ('PENDING', 'RETRYING'))`,
    [pid, attempts],
  );
}

/** Deliveries that have not ended, and how long their retries are ahead. */
export function findUnfinished(
  runner: SqlRunner,
  deliveryPids: readonly string[],
): Promise<(Granted & { readonly dueInMs: number })[]> {
  return runner.query(
    `select ${columnList(GRANTED)},
       greatest(0, extract(epoch from coalesce(next_attempt_at - clock_timestamp(), '0')) * 1000)::float8 as due_in_ms
     from platform.webhook_delivery where pid = any($1) and status in ('PENDING', 'RETRYING')`,
    [deliveryPids],
  );
}

/** A delivery that could not begin, and why. */
interface UnbegunDelivery extends Pick<Granted, 'status' | 'subscriptionPid'> {
  readonly isDue: boolean;
  readonly dueInMs: number;
  readonly hasSlot: boolean;
}

/**
 * Looks at a delivery that could not begin, and does what is due: it ends when its time or its subscription
 * is over, and joins the queue when its retry has come due.
 */
export async function reconcile(runner: SqlRunner, deliveryPid: string): Promise<UnbegunDelivery | null> {
  const [delivery] = await runner.query<UnbegunDelivery>(
    `with ended as (
       update platform.webhook_delivery d set
         status = case when d.expires_at <= now() then 'FAILED' else 'CANCELLED' end,
         reason = case when d.expires_at <= now() then 'expired' when s.deleted_at is not null then 'subscription deleted' else 'subscription disabled' end,
         finished_at = now(), next_attempt_at = null, slot_until = null, queued_at = null
       from platform.webhook_subscription s
       where d.pid = $1 and s.pid = d.subscription_pid and d.status in ('PENDING', 'RETRYING')
         and (d.expires_at <= now() or s.deleted_at is not null or (not s.enabled and d.next_trigger in ('event', 'retry')))
       returning d.pid, d.status
     ), queued as (
       update platform.webhook_delivery d set queued_at = now(), next_attempt_at = null
       where d.pid = $1 and d.status in ('PENDING', 'RETRYING') and d.queued_at is null and d.slot_until is null
         and coalesce(d.next_attempt_at <= clock_timestamp(), true) and not exists (select 1 from ended)
       returning d.pid
     )
     select coalesce((select status from ended), d.status) as status, d.subscription_pid,
       d.queued_at is not null or exists (select 1 from queued) as is_due, d.slot_until is not null as has_slot,
       greatest(0, extract(epoch from d.next_attempt_at - clock_timestamp()) * 1000)::float8 as due_in_ms
     from platform.webhook_delivery d where d.pid = $1`,
    [deliveryPid],
  );
  return delivery ?? null;
}
