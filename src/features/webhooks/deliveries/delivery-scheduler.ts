import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import { columnList, type RowOf } from '../../../foundation/database/columns.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import {
  RECOVER_DELIVERIES,
  recoveryWorkflowId,
  type RecoverDeliveriesInput,
} from '../../../../workflows/contracts.ts';
import { leaseSlots, requeue, sweepDeliveries, type Expired, type Granted } from './delivery-queue.ts';
import type { DeliveryStarter } from './delivery-starter.ts';
import type { RecoveryEntity } from './delivery.entity.ts';
import {
  DISPATCH_LATER_MS,
  FIRST_ATTEMPTS,
  RECOVERIES_EVERY,
  SWEEP_EVERY_MS,
  UNSTARTED_RECOVERY_MS,
} from '../webhooks.limits.ts';

/**
 * Makes the first attempts of deliveries in this process, at once: one that waited for others could lose its
 * slot. Says each time how many have come to an end.
 */
type AttemptFirst = (deliveries: readonly Granted[], onEnd: (count: number) => void) => void;

interface Parts {
  readonly database: Database;
  readonly temporal: TemporalGateway;
  readonly starter: DeliveryStarter;
  /** Null in a process without a worker, which leaves them to others. */
  readonly attemptFirst: AttemptFirst | null;
  readonly circuitFailures: number;
  readonly maxInFlight: number;
  /** Hears of subscriptions whose deliveries have run out of time. */
  readonly onExpired: (delivery: Expired) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Gives queued deliveries their turns, a few in flight per subscription, so one bad endpoint holds up no
 * other. The queue is in Postgres. A first attempt is made here; a delivery that has been waiting for a retry
 * has a workflow, which is signalled. What gets lost on the way (a crash, Temporal away) comes back into the
 * queue when its slot runs out.
 */
export class DeliveryScheduler {
  readonly #parts: Parts;
  readonly #loop = new PollingLoop(SWEEP_EVERY_MS, () => this.sweep());
  readonly #due = new Set<string>();
  #dispatching: Promise<void> | null = null;
  /** First attempts under way, and those for which slots are being leased. */
  #underWay = 0;
  #isStopped = false;
  #sweeps = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start();
  }

  /** From here on no slot is given away. */
  stop(): void {
    this.#isStopped = true;
    this.#loop.stop();
  }

  /** Resolves when no first attempt is under way. */
  async idle(): Promise<void> {
    while (this.#underWay > 0) await sleep(DISPATCH_LATER_MS);
  }

  /**
   * Gives the free slots of these subscriptions to their queued deliveries, as far as there is room for them
   * in this process; the others get theirs as soon as there is.
   * @returns the pids of the deliveries that got one
   * @throws SERVICE_UNAVAILABLE
   */
  async dispatch(subscriptionPids: readonly string[], except?: string): Promise<ReadonlySet<string>> {
    const { granted, notified } = await this.#grant(subscriptionPids, except);
    await notified;
    return new Set(granted.map(({ pid }) => pid));
  }

  /**
   * As `dispatch`, a moment later and for all that ask meanwhile: a slot that becomes free costs no
   * transaction of its own.
   */
  dispatchLater(subscriptionPid: string): void {
    this.#due.add(subscriptionPid);
    this.#dispatchSoon();
  }

  #dispatchSoon(): void {
    if (this.#isStopped || this.#due.size === 0 || this.#underWay >= FIRST_ATTEMPTS) return;
    this.#dispatching ??= this.#dispatchDue().finally(() => {
      this.#dispatching = null;
      this.#dispatchSoon();
    });
  }

  async #dispatchDue(): Promise<void> {
    await sleep(DISPATCH_LATER_MS);
    const due = [...this.#due];
    this.#due.clear();
    try {
      // Signals are not waited for: they would hold up the slots of the others.
      await this.#grant(due);
    } catch (error) {
      // What fails now is found by the next sweep.
      this.#parts.logger.debug({ err: error }, 'free slots wait for a sweep');
    }
  }

  /** Leases slots and begins what has got one. */
  async #grant(subscriptionPids: readonly string[], except?: string) {
    const { database, attemptFirst, circuitFailures, maxInFlight } = this.#parts;
    const room = attemptFirst ? Math.max(0, FIRST_ATTEMPTS - this.#underWay) : 0;
    const served = subscriptionPids.slice(0, room);
    if (attemptFirst) for (const pid of subscriptionPids.slice(room)) this.#due.add(pid);
    if (this.#isStopped || served.length === 0) return { granted: [], notified: null };
    const most = Math.min(maxInFlight, Math.floor(room / served.length));
    this.#underWay += most * served.length;
    let granted: readonly Granted[] = [];
    try {
      granted = await database.transaction((transaction) =>
        leaseSlots(transaction, served, { circuitFailures, maxInFlight, most }),
      );
    } finally {
      this.#end(most * served.length);
    }
    return { granted, notified: this.#begin(granted.filter(({ pid }) => pid !== except)) };
  }

  async #begin(granted: readonly Granted[]): Promise<void> {
    // Only a delivery without an attempt surely has no workflow yet.
    const isFirst = ({ status, attemptCount }: Granted): boolean => status === 'PENDING' && attemptCount === 0;
    const first = granted.filter(isFirst);
    this.#underWay += first.length;
    this.#parts.attemptFirst?.(first, (count) => this.#end(count));
    await Promise.all(granted.filter((delivery) => !isFirst(delivery)).map((delivery) => this.#notify(delivery)));
  }

  #end(count: number): void {
    this.#underWay -= count;
    this.#dispatchSoon();
  }

  /** One round over everything that waits. Never throws: what fails now is found again by the next round. */
  async sweep(): Promise<void> {
    try {
      const { waiting, expired } = await sweepDeliveries(this.#parts.database);
      for (const delivery of expired) await this.#parts.onExpired(delivery);
      await this.dispatch(waiting);
      this.#sweeps += 1;
      if (this.#sweeps % RECOVERIES_EVERY === 0) await this.#startRecoveries();
    } catch (error) {
      this.#parts.logger.debug({ err: error }, 'a sweep of deliveries was cut short');
    }
  }

  /** Tells the delivery's workflow that something has changed. */
  async #notify(delivery: Granted): Promise<void> {
    try {
      await this.#parts.starter.notify(delivery);
    } catch (error) {
      withLogContext(delivery, () =>
        this.#parts.logger.warn(
          { err: error, deliveryPid: delivery.pid },
          'the workflow of a delivery could not be reached; it is tried again',
        ),
      );
      // Should this fail, too, its slot runs out.
      await requeue(this.#parts.database, delivery).catch(() => undefined);
    }
  }

  /** A node that dies between writing a recovery down and starting it leaves that to the others. */
  async #startRecoveries(): Promise<void> {
    for (const { pid, ...attributes } of await unstartedRecoveries(this.#parts.database)) {
      const input: RecoverDeliveriesInput = { recoveryPid: pid };
      await this.#parts.temporal.start(RECOVER_DELIVERIES, {
        workflowId: recoveryWorkflowId(pid),
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        args: [input],
        attributes,
      });
    }
  }
}

const UNSTARTED = ['pid', 'tenantId', 'environment', 'subscriptionPid'] as const;

/** Recoveries that have been running for a while: those whose workflow exists refuse to be started again. */
function unstartedRecoveries(
  database: Database,
): Promise<Pick<RowOf<typeof RecoveryEntity>, (typeof UNSTARTED)[number]>[]> {
  return database.query(
    `select ${columnList(UNSTARTED)} from platform.webhook_recovery
     where status = 'RUNNING' and created_at < now() - interval '${UNSTARTED_RECOVERY_MS} milliseconds' limit 100`,
  );
}
