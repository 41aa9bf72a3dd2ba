import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { RowOf } from '../../../foundation/database/columns.ts';
import type { Database, SqlRunner } from '../../../foundation/database/pool.ts';
import { conflict, notFound } from '../../../foundation/errors/application-error.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import {
  RECOVER_DELIVERIES,
  recoveryWorkflowId,
  type RecoverDeliveriesInput,
} from '../../../../workflows/contracts.ts';
import type { SubscriptionEntity } from '../subscription.entity.ts';
import type { DeliveryEntity, RecoveryEntity } from './delivery.entity.ts';
import type { DeliveryScheduler } from './delivery-scheduler.ts';
import { retryWindowMs } from './retry-policy.ts';
import { type Template, text } from '../../../foundation/i18n/text.ts';
import { RECOVERY_BATCH } from '../webhooks.limits.ts';

/** Why a delivery was cancelled, where it was a person who did it: recovering leaves those alone. */
const CANCELLED_BY_HAND = 'cancelled';
/** What was sent by hand goes before everything that waits. */
const FIRST = `'epoch'::timestamptz`;

/** A request that is out keeps its slot until its outcome is known. */
const SLOT_OF_REQUEST = `case when exists (select 1 from platform.webhook_attempt a
  where a.delivery_pid = d.pid and a.finished_at is null) then slot_until end`;

/**
 * Ends unfinished deliveries of a subscription, in the transaction that changes it.
 * @param minAttempts 1 leaves alone what has not been sent yet
 */
export async function cancelUnfinished(
  runner: SqlRunner,
  subscriptionPid: string,
  reason: Template,
  minAttempts = 0,
): Promise<void> {
  // Queued, those that have a workflow get a signal that they are over.
  await runner.query(
    `update platform.webhook_delivery d set status = 'CANCELLED', reason = $2, next_attempt_at = null, slot_until = ${SLOT_OF_REQUEST},
       queued_at = case when attempt_count > 0 then now() end, finished_at = now()
     where subscription_pid = $1 and status in ('PENDING', 'RETRYING') and attempt_count >= $3`,
    [subscriptionPid, reason, minAttempts],
  );
}

type Limits = Pick<RowOf<typeof SubscriptionEntity>, 'maxRetries' | 'timeoutMs' | 'retryScheduleMs'>;
type Found = Limits &
  Pick<RowOf<typeof DeliveryEntity>, 'pid' | 'status' | 'subscriptionPid'> & { readonly isDeleted: boolean };
type RecoveryInHand = Limits &
  Pick<RowOf<typeof RecoveryEntity>, 'subscriptionPid' | 'since' | 'until' | 'createdAt'> & {
    readonly enabled: boolean;
  };

/** Why a delivery is not sent again. PENDING: it is about to be sent for the first time. */
export const REFUSALS = ['NOT_FOUND', 'DELETED', 'PENDING'] as const;

interface ResendResult {
  readonly resent: readonly string[];
  readonly refused: readonly { readonly pid: string; readonly reason: (typeof REFUSALS)[number] }[];
}

/** What people do with deliveries: send them again, or give them up. */
export class DeliveryAdmin {
  readonly #database: Database;
  readonly #temporal: TemporalGateway;
  readonly #scheduler: DeliveryScheduler;
  readonly #scheduleMs: readonly number[];

  /** @param scheduleMs the delays of subscriptions that name none */
  constructor(
    database: Database,
    temporal: TemporalGateway,
    scheduler: DeliveryScheduler,
    scheduleMs: readonly number[],
  ) {
    this.#database = database;
    this.#temporal = temporal;
    this.#scheduler = scheduler;
    this.#scheduleMs = scheduleMs;
  }

  /**
   * Sends a delivery again: an ended one with all its retries, one that waits for a retry at once. It goes
   * before what waits, probes an open circuit, and is tried once even where the subscription is disabled.
   * @throws NOT_FOUND; CONFLICT (STATE) when it is about to be sent anyway, or its subscription is deleted
   */
  async resend(actor: Actor, deliveryPid: string): Promise<void> {
    const { refused } = await this.resendAll(actor, [deliveryPid]);
    const [why] = refused.map(({ reason }) => reason);
    if (why === 'NOT_FOUND') throw notFound('There is no such delivery');
    if (why === 'DELETED') throw conflict('STATE', 'The subscription has been deleted');
    if (why === 'PENDING') throw conflict('STATE', 'The delivery is about to be sent for the first time');
  }

  /** As `resend`, for many: those that cannot be sent are told, and hold up no other. */
  async resendAll(actor: Actor, deliveryPids: readonly string[]): Promise<ResendResult> {
    const found = await this.#database.transaction(async (transaction) => {
      const locked = await this.#lock(transaction, actor, deliveryPids);
      const sendable = locked.filter((delivery) => refusalOf(delivery) === null);
      const [pids, windowsMs] = [sendable.map(({ pid }) => pid), sendable.map((one) => this.#windowMs(one))];
      await transaction.query(
        `update platform.webhook_delivery d set next_trigger = 'resend', queued_at = ${FIRST}, slot_until = null, next_attempt_at = null,
           status = case when status = 'RETRYING' then status else 'PENDING' end,
           failed_count = case when status = 'RETRYING' then failed_count else 0 end,
           expires_at = now() + w.window_ms * interval '1 millisecond', finished_at = null, reason = null
         from unnest($1::text[], $2::float8[]) as w (pid, window_ms) where d.pid = w.pid`,
        [pids, windowsMs],
      );
      // An open circuit lets one through: the first of these.
      await transaction.query(
        'update platform.webhook_endpoint set open_until = null where subscription_pid = any($1)',
        [subscriptionsOf(sendable)],
      );
      return locked;
    });
    const byPid = new Map(found.map((delivery) => [delivery.pid, delivery]));
    const refused = [...new Set(deliveryPids)].flatMap((pid) => {
      const reason = refusalOf(byPid.get(pid));
      return reason === null ? [] : [{ pid, reason }];
    });
    const resent = found.filter((delivery) => refusalOf(delivery) === null);
    await this.#dispatch(subscriptionsOf(resent));
    return { resent: resent.map(({ pid }) => pid), refused };
  }

  /** Gives an unfinished delivery up. @throws NOT_FOUND; CONFLICT (STATE) when it has ended */
  async cancel(actor: Actor, deliveryPid: string): Promise<void> {
    const subscriptionPid = await this.#database.transaction(async (transaction) => {
      const [delivery] = await this.#lock(transaction, actor, [deliveryPid]);
      if (!delivery) throw notFound('There is no such delivery');
      if (delivery.status !== 'PENDING' && delivery.status !== 'RETRYING') {
        throw conflict('STATE', text('The delivery has ended: {status}', { status: delivery.status }), {
          status: delivery.status,
        });
      }
      await transaction.query(
        `update platform.webhook_delivery d set status = 'CANCELLED', reason = $2, next_attempt_at = null, slot_until = ${SLOT_OF_REQUEST},
           queued_at = case when attempt_count > 0 then now() end, finished_at = now() where pid = $1`,
        [deliveryPid, CANCELLED_BY_HAND],
      );
      return delivery.subscriptionPid;
    });
    await this.#dispatch([subscriptionPid]);
  }

  /**
   * Begins to send again what a subscription has failed to get in a time, each delivery once.
   * @returns the recovery's pid
   * @throws NOT_FOUND; CONFLICT (STATE) for a disabled subscription; SERVICE_UNAVAILABLE with nothing begun
   */
  async recover(actor: Actor, subscriptionPid: string, since: Date, until: Date): Promise<string> {
    const { tenantId, metadata } = actor;
    const subscription = await this.#failed(actor, subscriptionPid, since, until);
    if (!subscription.enabled) throw conflict('STATE', 'The subscription is disabled: enable it first');
    const pid = newPid();
    await this.#database.query(
      `insert into platform.webhook_recovery (pid, subscription_pid, environment, tenant_id, since, until, status, total, created_by)
       values ($1, $2, $3, $4, $5, $6, 'RUNNING', $7, $8)`,
      [pid, subscriptionPid, metadata.environment, tenantId, since, until, subscription.total, actor.userPid],
    );
    const input: RecoverDeliveriesInput = { recoveryPid: pid };
    try {
      await this.#temporal.start(RECOVER_DELIVERIES, {
        workflowId: recoveryWorkflowId(pid),
        args: [input],
        attributes: { tenantId, environment: metadata.environment, subscriptionPid },
      });
    } catch (error) {
      // Should it have started after all, it finds itself cancelled.
      await this.#database.query(
        `update platform.webhook_recovery set status = 'CANCELLED', finished_at = now() where pid = $1`,
        [pid],
      );
      throw error;
    }
    return pid;
  }

  /** How many deliveries a recovery would send again. @throws NOT_FOUND */
  async recoverable(actor: Actor, subscriptionPid: string, since: Date, until: Date): Promise<number> {
    return (await this.#failed(actor, subscriptionPid, since, until)).total;
  }

  /**
   * The next batch of a recovery. False when it has ended. Doing it again resends nothing twice, and what
   * fails after the recovery has begun is none of its business: two at once would hand it to each other for
   * ever.
   */
  async recoverBatch(recoveryPid: string): Promise<boolean> {
    const resent = await this.#database.transaction(async (transaction) => {
      const [recovery] = await transaction.query<RecoveryInHand>(
        `select r.subscription_pid, r.since, r.until, r.created_at, s.enabled and s.deleted_at is null as enabled,
           s.max_retries, s.timeout_ms, s.retry_schedule_ms
         from platform.webhook_recovery r join platform.webhook_subscription s on s.pid = r.subscription_pid
         where r.pid = $1 and r.status = 'RUNNING' for update of r`,
        [recoveryPid],
      );
      if (!recovery) return null;
      const { subscriptionPid, since, until, createdAt: begunAt } = recovery;
      const take = (locked: 'skip locked' | '') =>
        transaction.query(
          `update platform.webhook_delivery set status = 'PENDING', next_trigger = 'recover', failed_count = 0, queued_at = now(),
             slot_until = null, next_attempt_at = null, expires_at = now() + $5 * interval '1 millisecond', finished_at = null,
             reason = null, recovery_pid = $4
           where pid in (select d.pid from platform.webhook_delivery d
             where ${failedIn('$1', '$2', '$3')} and d.recovery_pid is distinct from $4 and d.finished_at <= $6
             order by d.id limit ${RECOVERY_BATCH} for update ${locked})
           returning pid`,
          [subscriptionPid, since, until, recoveryPid, this.#windowMs(recovery), begunAt],
        );
      let rows = recovery.enabled ? await take('skip locked') : [];
      // It has not ended while another transaction holds one of them.
      if (recovery.enabled && rows.length === 0) rows = await take('');
      const ended = rows.length === 0 ? (recovery.enabled ? 'DONE' : 'CANCELLED') : null;
      await transaction.query(
        `update platform.webhook_recovery set resent = resent + $2, status = coalesce($3, status),
           finished_at = case when $3 is not null then now() end where pid = $1`,
        [recoveryPid, rows.length, ended],
      );
      return ended ? null : subscriptionPid;
    });
    if (resent === null) return false;
    await this.#dispatch([resent]);
    return true;
  }

  async #failed({ tenantId, metadata }: Actor, subscriptionPid: string, since: Date, until: Date) {
    const [subscription] = await this.#database.query<{ enabled: boolean; total: number }>(
      `select s.enabled, (select count(*)::int from platform.webhook_delivery d where ${failedIn('s.pid', '$4', '$5')}) as total
       from platform.webhook_subscription s
       where s.pid = $1 and s.tenant_id = $2 and s.environment = $3 and s.deleted_at is null`,
      [subscriptionPid, tenantId, metadata.environment, since, until],
    );
    if (!subscription) throw notFound('There is no such subscription');
    return subscription;
  }

  #lock(transaction: SqlRunner, actor: Actor, deliveryPids: readonly string[]): Promise<Found[]> {
    return transaction.query<Found>(
      `select d.pid, d.status, d.subscription_pid, s.deleted_at is not null as is_deleted, s.max_retries, s.timeout_ms, s.retry_schedule_ms
       from platform.webhook_delivery d join platform.webhook_subscription s on s.pid = d.subscription_pid
       where d.pid = any($1) and d.tenant_id = $2 and d.environment = $3 order by d.id for update of d`,
      [deliveryPids, actor.tenantId, actor.metadata.environment],
    );
  }

  /** The row says what is to be done; where that cannot be begun now, the sweep begins it within a second. */
  async #dispatch(subscriptionPids: readonly string[]): Promise<void> {
    await this.#scheduler.dispatch(subscriptionPids).catch(() => undefined);
  }

  #windowMs({ maxRetries, timeoutMs, retryScheduleMs: own }: Limits): number {
    return retryWindowMs({ maxRetries, timeoutMs, scheduleMs: own ?? this.#scheduleMs });
  }
}

/** What a recovery sends again: what failed, and what was cancelled because the subscription was. */
function failedIn(subscription: string, since: string, until: string): string {
  return `d.subscription_pid = ${subscription} and d.created_at >= ${since} and d.created_at <= ${until}
    and (d.status = 'FAILED' or d.status = 'CANCELLED' and d.reason is distinct from '${CANCELLED_BY_HAND}')`;
}

function refusalOf(delivery: Found | undefined): (typeof REFUSALS)[number] | null {
  if (!delivery) return 'NOT_FOUND';
  if (delivery.isDeleted) return 'DELETED';
  return delivery.status === 'PENDING' ? 'PENDING' : null;
}

function subscriptionsOf(deliveries: readonly Found[]): string[] {
  return [...new Set(deliveries.map(({ subscriptionPid }) => subscriptionPid))];
}
