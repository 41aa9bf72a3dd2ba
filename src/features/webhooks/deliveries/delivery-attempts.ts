import { setTimeout as sleep } from 'node:timers/promises';
import { columnList, toRecordset, type RowOf } from '../../../foundation/database/columns.ts';
import { MAX_STARTS } from '../../../foundation/jobs/repeated-starts.ts';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { TurnBatch } from '../../../foundation/database/turn-batch.ts';
import { rolesOfMember } from '../../../platform/auth/accounts/membership.entity.ts';
import { readableEvent } from '../../../platform/events/outbox/outbox.ts';
import type { ReadableEvent } from '../../../platform/events/audience/event-visibility.ts';
import type { DeliveryEntity, DeliveryStatus } from './delivery.entity.ts';
import type { SubscriptionEntity } from '../subscription.entity.ts';
import {
  LEASE_MS,
  MAX_COOL_DOWN_FACTOR,
  OUTCOME_STATEMENTS,
  OUTCOME_TRIES,
  OUTCOME_TRY_MS,
  QUICK_MS,
  SLOTS,
  SLOW_MS,
} from '../webhooks.limits.ts';

const DELIVERY = [
  'pid',
  'subscriptionPid',
  'environment',
  'tenantId',
  'eventPid',
  'eventType',
  'traceId',
  'status',
  'attemptCount',
  'failedCount',
] as const;
const SUBSCRIPTION = [
  'targetUrl',
  'secrets',
  'headers',
  'maxRetries',
  'timeoutMs',
  'retryScheduleMs',
  'roles',
  'createdBy',
  'createdByName',
] as const;

/** An attempt that may begin: what to send, where, and what to do with its outcome. */
export type StartedAttempt = Pick<RowOf<typeof DeliveryEntity>, (typeof DELIVERY)[number]> &
  Pick<RowOf<typeof SubscriptionEntity>, (typeof SUBSCRIPTION)[number]> & {
    /** What the log has as the body; null where that is the event's own text. */
    readonly loggedBody: string | null;
    /** The present roles of the subscription's owner; null where that is no active member. */
    readonly ownerRoles: readonly string[] | null;
    /** How many of the last attempts had no end: the worker died. */
    readonly lost: number;
  } & ReadableEvent;

/**
 * Writes the attempt down before anything is sent. An earlier one without an end belonged to a worker that
 * died: it becomes `unknown`, which uses up no retry. Whatever comes after this attempt is a retry, unless a
 * resend asks for more meanwhile: that shows in `next_trigger`.
 */
const beginning = (which: string): string => `with found as (
  select pid, next_trigger from platform.webhook_delivery where ${which}
), begun as (
  update platform.webhook_delivery d
  set attempt_count = d.attempt_count + 1, next_attempt_at = null, next_trigger = 'retry',
    slot_until = clock_timestamp() + (s.timeout_ms + ${LEASE_MS}) * interval '1 millisecond'
  from found f, platform.webhook_subscription s
  where d.pid = f.pid and d.status in ('PENDING', 'RETRYING') and d.slot_until is not null and d.expires_at > now()
    and s.pid = d.subscription_pid and s.deleted_at is null and (s.enabled or f.next_trigger in ('resend', 'recover'))
  returning ${columnList(DELIVERY, 'd')}, d.body as logged_body, f.next_trigger, ${columnList(SUBSCRIPTION, 's')},
    ${rolesOfMember('s.tenant_id', 's.owned_by')} as owner_roles
), lost as (
  update platform.webhook_attempt a set finished_at = now(), error_class = 'unknown'
  from begun where a.delivery_pid = begun.pid and a.finished_at is null
), written as (
  insert into platform.webhook_attempt (delivery_pid, number, subscription_pid, trigger, started_at)
  select pid, attempt_count, subscription_pid, next_trigger, clock_timestamp() from begun
)
select begun.*, e.*, case when begun.attempt_count <= ${MAX_STARTS} then 0 else (
  select count(*)::int from platform.webhook_attempt a
  where a.delivery_pid = begun.pid and a.number between begun.attempt_count - ${MAX_STARTS} and begun.attempt_count - 1
    and (a.finished_at is null or a.error_class = 'unknown')) end as lost
from begun, lateral ${readableEvent('begun.event_pid')} e`;

const BEGIN = beginning('pid = $1 for update');
/** What another transaction holds is left out: waiting for it could end in a deadlock. */
const BEGIN_TOGETHER = beginning('pid = any($1) and attempt_count = 0 for update skip locked');

/** The log shows what is sent. */
export async function logBody(runner: SqlRunner, deliveryPid: string, body: string | null): Promise<void> {
  await runner.query('update platform.webhook_delivery set body = $2 where pid = $1', [deliveryPid, body]);
}

/** Null when the delivery has no slot, or has ended. */
export async function begin(runner: SqlRunner, deliveryPid: string): Promise<StartedAttempt | null> {
  const [begun] = await runner.query<StartedAttempt>(BEGIN, [deliveryPid]);
  return begun ?? null;
}

/** As `begin`, for the first attempts of those deliveries that can begin now. */
export function beginTogether(runner: SqlRunner, deliveryPids: readonly string[]): Promise<StartedAttempt[]> {
  return runner.query<StartedAttempt>(BEGIN_TOGETHER, [deliveryPids]);
}

const TAKE_BACK = `with unmade as (
  delete from platform.webhook_attempt a using platform.webhook_delivery d
  where a.delivery_pid = $1 and a.number = $2 and a.finished_at is null and d.pid = $1 and d.attempt_count = $2
  returning a.trigger
)
update platform.webhook_delivery d set attempt_count = d.attempt_count - 1,
  next_trigger = case when d.next_trigger = 'retry' then unmade.trigger else d.next_trigger end
from unmade where d.pid = $1`;

/** Undoes the beginning of an attempt that a fault of our own has ended before anything was sent. */
export async function takeBack(
  runner: SqlRunner,
  { pid, attemptCount }: Pick<StartedAttempt, 'pid' | 'attemptCount'>,
): Promise<void> {
  await runner.query(TAKE_BACK, [pid, attemptCount]);
}

/** What came of an attempt, and what follows for its delivery and its endpoint. */
export interface AttemptEnd {
  readonly status: DeliveryStatus;
  readonly failedCount: number;
  readonly delayMs: number | null;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly errorClass: string | null;
  readonly errorMessage: string | null;
  readonly ip: string | null;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  readonly responseBody: string | null;
  readonly responseTruncated: boolean | null;
  /** Whether the endpoint is well: it answered, and not with a 5xx. Null says nothing about it. */
  readonly healthy: boolean | null;
}

/** How an open circuit behaves. */
interface Circuit {
  readonly failures: number;
  readonly coolDownMs: number;
  /** Most deliveries of a subscription in flight. */
  readonly maxInFlight: number;
}

/** Whether failures open the circuit of an endpoint, and for how long it is open then. */
const OPENS = '$2 > 0 and p.failures + h.attempts >= $2 and coalesce(p.open_until < clock_timestamp(), true)';
const COOL_DOWN_MS = `least(greatest(p.cool_down_ms * 2, $3), $3 * ${MAX_COOL_DOWN_FACTOR})`;

/** An attempt and what came of it. */
interface EndedAttempt {
  readonly attempt: Pick<StartedAttempt, 'pid' | 'attemptCount' | 'subscriptionPid'>;
  readonly end: AttemptEnd;
}

/** The outcomes ($1), each with the time of its end and that of the next attempt. */
const OUTCOMES = `outcome as (
  select *, ended_at + delay_ms * interval '1 millisecond' as next_at
  from (select clock_timestamp() as ended_at) clock, json_to_recordset($1::json) as e (pid text, number int, subscription_pid text, status text, failed_count int,
    delay_ms float8, duration_ms int, status_code int, error_class text, error_message text, ip text,
    response_headers jsonb, response_body text, response_truncated boolean, healthy boolean)
)`;

/** The log of attempts. */
const WRITE_ATTEMPTS = `attempt as (
  update platform.webhook_attempt a set finished_at = e.ended_at, duration_ms = e.duration_ms,
    status_code = e.status_code, error_class = e.error_class, error_message = e.error_message, ip = e.ip,
    response_headers = e.response_headers, response_body = e.response_body, response_truncated = e.response_truncated, next_attempt_at = e.next_at
  from outcome e where a.delivery_pid = any($4) and a.number = any($6) and a.delivery_pid = e.pid and a.number = e.number
)`;

/**
 * Ends deliveries or lets them wait for a retry, unless they were ended or resent meanwhile. A success counts
 * even then: it did arrive.
 */
const WRITE_DELIVERIES = `ended as (
  update platform.webhook_delivery d set status = e.status, failed_count = e.failed_count, slot_until = null,
    reason = null, next_attempt_at = e.next_at, finished_at = case when e.next_at is null then e.ended_at end
  from outcome e where d.pid = any($4) and d.pid = e.pid
    and (d.attempt_count = e.number and d.next_trigger = 'retry' and d.status in ('PENDING', 'RETRYING') or e.status = 'SUCCEEDED')
  returning d.pid, d.status
), freed as (
  update platform.webhook_delivery d set slot_until = null
  from outcome e where d.pid = any($4) and d.pid = e.pid and d.attempt_count = e.number and d.status = 'CANCELLED' and e.status <> 'SUCCEEDED'
)`;

/** Slots of an endpoint: each quick success adds one, the first slowness halves them. */
const NEXT_SLOTS = `case when h.slow then greatest(${SLOTS.least}, p.slots / 2) else least($5, p.slots + h.quick) end`;

/**
 * One success closes an endpoint's circuit; failures add up until they open it. Those that change are locked
 * in the order in which slots are granted: in any other, both could wait for each other.
 */
const WRITE_ENDPOINTS = `changing as (
  select h.* from platform.webhook_endpoint p join (
    select subscription_pid, bool_or(healthy) as healthy, (count(*) filter (where healthy is not null))::int as attempts,
      bool_or(duration_ms > ${SLOW_MS}) as slow, (count(*) filter (where healthy and duration_ms <= ${QUICK_MS}))::int as quick
    from outcome group by subscription_pid) h using (subscription_pid)
  where not h.healthy or p.failures > 0 or ${NEXT_SLOTS} <> p.slots
  order by p.subscription_pid for update of p
), endpoint as (
  update platform.webhook_endpoint p set slots = ${NEXT_SLOTS},
    failures = case when h.healthy then 0 when h.healthy is null then p.failures else p.failures + h.attempts end,
    cool_down_ms = case when h.healthy then 0 when not h.healthy and ${OPENS} then ${COOL_DOWN_MS} else p.cool_down_ms end,
    open_until = case when h.healthy then null
      when not h.healthy and ${OPENS} then clock_timestamp() + ${COOL_DOWN_MS} * interval '1 millisecond' else p.open_until end
  from changing h where p.subscription_pid = h.subscription_pid
)`;

/**
 * One round trip for all that follows from outcomes. The arrays of pids ($4) and numbers ($6) say to the
 * planner that they are few, which a recordset does not.
 */
const FINISH = `with ${OUTCOMES}, ${WRITE_ATTEMPTS}, ${WRITE_DELIVERIES}, ${WRITE_ENDPOINTS}
select e.pid, (select status from ended where ended.pid = e.pid) as status, s.waiting
from outcome e join (
  select subscription_pid, (select q.id from platform.webhook_delivery q
    where q.subscription_pid = each.subscription_pid and q.queued_at is not null limit 1) is not null as waiting
  from (select distinct subscription_pid from outcome) each) s using (subscription_pid)`;

/** What has become of a delivery by an outcome. */
interface Finished {
  /** Null: it was ended or resent meanwhile. */
  readonly status: DeliveryStatus | null;
  /** Whether others wait for the slot. */
  readonly waiting: boolean;
}

/** Writes down what came of attempts, in their order. Doing it again changes nothing. */
async function finish(
  runner: SqlRunner,
  ended: readonly EndedAttempt[],
  { failures, coolDownMs, maxInFlight }: Circuit,
): Promise<Finished[]> {
  const rows = ended.map(({ attempt: { pid, attemptCount: number, subscriptionPid }, end }) => {
    return { pid, number, subscriptionPid, ...end };
  });
  const [pids, numbers] = [rows.map(({ pid }) => pid), [...new Set(rows.map(({ number }) => number))]];
  const values = [toRecordset(rows), failures, coolDownMs, pids, maxInFlight, numbers];
  const finished = await runner.query<Finished & { pid: string }>(FINISH, values);
  const byPid = new Map(finished.map((each) => [each.pid, each]));
  return ended.map(({ attempt: { pid } }) => byPid.get(pid) ?? { status: null, waiting: false });
}

/** Writes down what came of an attempt. @throws a transient fault, after many tries */
export type WriteOutcome = (ended: EndedAttempt) => Promise<Finished>;

/** Outcomes of one turn share a statement, and are tried again until Postgres takes them. */
export function outcomeWriter(runner: SqlRunner, circuit: Circuit): WriteOutcome {
  const batch = new TurnBatch<EndedAttempt, Finished>((ended) => finish(runner, ended, circuit), OUTCOME_STATEMENTS);
  return async ({ attempt, end }) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await batch.do({ attempt, end });
      } catch (error) {
        // What Postgres will not store of a response must not make the attempt undone.
        if (!isTransient(error))
          return batch.do({ attempt, end: { ...end, responseHeaders: null, responseBody: null } });
        if (tries === OUTCOME_TRIES) throw error;
        await sleep(OUTCOME_TRY_MS * tries);
      }
    }
  };
}
