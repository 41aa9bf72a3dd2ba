import { columnList } from '../../../foundation/database/columns.ts';
import type { RowOf } from '../../../foundation/database/platform-row.ts';
import { MAX_STARTS } from '../../../foundation/jobs/repeated-starts.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { rolesOfMember } from '../../../platform/auth/accounts/member-roles.ts';
import { readableEvent } from '../../../platform/events/outbox.ts';
import type { ReadableEvent } from '../../../platform/events/event-visibility.ts';
import type { DeliveryEntity, DeliveryStatus } from './delivery.entity.ts';
import type { SubscriptionEntity } from '../subscription.entity.ts';
import { LEASE_MS, MAX_COOL_DOWN_FACTOR } from '../webhooks.limits.ts';

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
  readonly responseBody: string | null;
  readonly responseTruncated: boolean | null;
  /** Whether the endpoint is well: it answered, and not with a 5xx. Null says nothing about it. */
  readonly healthy: boolean | null;
}

/** How an open circuit behaves. */
export interface Circuit {
  readonly failures: number;
  readonly coolDownMs: number;
}

/** A success counts even where the delivery was cancelled meanwhile: it did arrive. */
const FINISH = `with attempt as (
  update platform.webhook_attempt set finished_at = clock_timestamp(), duration_ms = $5, status_code = $6, error_class = $7,
    error_message = $8, ip = $9, response_body = $10, response_truncated = $11,
    next_attempt_at = clock_timestamp() + $4 * interval '1 millisecond'
  where delivery_pid = $1 and number = $2
), ended as (
  update platform.webhook_delivery set status = $3, failed_count = $12, slot_until = null, reason = null,
    next_attempt_at = clock_timestamp() + $4 * interval '1 millisecond',
    finished_at = case when $4::float8 is null then clock_timestamp() end
  where pid = $1 and (attempt_count = $2 and next_trigger = 'retry' and status in ('PENDING', 'RETRYING') or $3 = 'SUCCEEDED')
  returning subscription_pid, status
), given_up as (
  update platform.webhook_delivery set slot_until = null
  where pid = $1 and attempt_count = $2 and status = 'CANCELLED' and $3 <> 'SUCCEEDED'
), healthy as (
  update platform.webhook_endpoint e set failures = 0, open_until = null, cool_down_ms = 0
  from platform.webhook_delivery d
  where $13::boolean and d.pid = $1 and e.subscription_pid = d.subscription_pid and e.failures > 0
), failing as (
  update platform.webhook_endpoint e set failures = e.failures + 1,
    cool_down_ms = case when ${opens('e')} then least(greatest(e.cool_down_ms * 2, $15), $15 * ${MAX_COOL_DOWN_FACTOR}) else e.cool_down_ms end,
    open_until = case when ${opens('e')} then clock_timestamp() + least(greatest(e.cool_down_ms * 2, $15), $15 * ${MAX_COOL_DOWN_FACTOR}) * interval '1 millisecond' else e.open_until end
  from platform.webhook_delivery d
  where not $13::boolean and d.pid = $1 and e.subscription_pid = d.subscription_pid
)
select (select status from ended) as status,
  exists (select 1 from platform.webhook_delivery q join platform.webhook_delivery d on d.subscription_pid = q.subscription_pid
          where d.pid = $1 and q.queued_at is not null) as waiting`;

function opens(endpoint: string): string {
  return `$14 > 0 and ${endpoint}.failures + 1 >= $14 and coalesce(${endpoint}.open_until < clock_timestamp(), true)`;
}

/**
 * Writes down what came of an attempt. Doing it again changes nothing.
 * @returns the delivery's status now (null: it was ended or resent meanwhile), and whether others wait for
 *   the slot
 */
export async function finish(
  runner: SqlRunner,
  { pid, attemptCount: number }: Pick<StartedAttempt, 'pid' | 'attemptCount'>,
  end: AttemptEnd,
  circuit: Circuit,
): Promise<{ status: DeliveryStatus | null; waiting: boolean }> {
  const values = [
    pid,
    number,
    end.status,
    end.delayMs,
    end.durationMs,
    end.statusCode,
    end.errorClass,
    end.errorMessage,
    end.ip,
    end.responseBody,
    end.responseTruncated,
    end.failedCount,
    end.healthy,
    circuit.failures,
    circuit.coolDownMs,
  ];
  const [row] = await runner.query<{ status: DeliveryStatus | null; waiting: boolean }>(FINISH, values);
  return row ?? { status: null, waiting: false };
}
