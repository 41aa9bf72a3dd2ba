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
import { DISPATCH_LATER_MS, RECOVERIES_EVERY, SWEEP_EVERY_MS, UNSTARTED_RECOVERY_MS } from '../webhooks.limits.ts';

interface Parts {
  readonly database: Database;
  readonly temporal: TemporalGateway;
  readonly starter: DeliveryStarter;
  /** Makes first attempts in this process; null in one without a worker, which leaves them to others. */
  readonly attemptFirst: ((deliveries: readonly Granted[]) => void) | null;
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
  #sweeps = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /**
   * Gives the free slots of these subscriptions to their queued deliveries.
   * @returns the pids of the deliveries that got one
   * @throws SERVICE_UNAVAILABLE
   */
  async dispatch(subscriptionPids: readonly string[], except?: string): Promise<ReadonlySet<string>> {
    const granted = await this.#lease(subscriptionPids);
    await this.#begin(granted.filter(({ pid }) => pid !== except));
    return new Set(granted.map(({ pid }) => pid));
  }

  /**
   * As `dispatch`, a moment later and for all that ask meanwhile: a slot that becomes free costs no
   * transaction of its own.
   */
  dispatchLater(subscriptionPid: string): void {
    this.#due.add(subscriptionPid);
    this.#dispatching ??= this.#dispatchDue().finally(() => {
      this.#dispatching = null;
      const [more] = this.#due;
      if (more !== undefined) this.dispatchLater(more);
    });
  }

  async #dispatchDue(): Promise<void> {
    await sleep(DISPATCH_LATER_MS);
    const due = [...this.#due];
    this.#due.clear();
    try {
      // Signals are not waited for: they would hold up the slots of the others.
      void this.#begin(await this.#lease(due));
    } catch (error) {
      // What fails now is found by the next sweep.
      this.#parts.logger.debug({ err: error }, 'free slots wait for a sweep');
    }
  }

  async #lease(subscriptionPids: readonly string[]): Promise<Granted[]> {
    const { database, attemptFirst, circuitFailures, maxInFlight } = this.#parts;
    if (subscriptionPids.length === 0 || !attemptFirst) return [];
    return database.transaction((transaction) =>
      leaseSlots(transaction, subscriptionPids, { circuitFailures, maxInFlight }),
    );
  }

  /** Only a delivery without an attempt surely has no workflow yet. */
  async #begin(granted: readonly Granted[]): Promise<void> {
    const isFirst = ({ status, attemptCount }: Granted): boolean => status === 'PENDING' && attemptCount === 0;
    this.#parts.attemptFirst?.(granted.filter(isFirst));
    await Promise.all(granted.filter((delivery) => !isFirst(delivery)).map((delivery) => this.#notify(delivery)));
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
