import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import { columnList } from '../../../foundation/database/columns.ts';
import type { RowOf } from '../../../foundation/database/platform-row.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
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
import { SWEEP_EVERY_MS, UNSTARTED_RECOVERY_MS } from '../webhooks.limits.ts';

const SOON_MS = 5;
/** Every so many sweeps. */
const RECOVERIES_EVERY = 5;

/**
 * Gives queued deliveries their turns: at most 8 in flight per subscription, so one bad endpoint holds up no
 * other. The queue is in Postgres; a workflow is started when its delivery has a slot, or told so when it has
 * been waiting. What gets lost on the way (a crash, Temporal away) comes back into the queue when its slot
 * runs out.
 */
export class DeliveryScheduler {
  readonly #database: Database;
  readonly #temporal: TemporalGateway;
  readonly #starter: DeliveryStarter;
  readonly #circuitFailures: number;
  readonly #onExpired: (delivery: Expired) => Promise<void>;
  readonly #logger: Logger;
  readonly #loop = new PollingLoop(SWEEP_EVERY_MS, () => this.sweep());
  readonly #soon = new Set<string>();
  #dispatching: Promise<void> | null = null;
  #sweeps = 0;

  /** @param onExpired hears of subscriptions whose deliveries have run out of time */
  constructor(
    database: Database,
    temporal: TemporalGateway,
    starter: DeliveryStarter,
    circuitFailures: number,
    onExpired: (delivery: Expired) => Promise<void>,
    logger: Logger,
  ) {
    this.#database = database;
    this.#temporal = temporal;
    this.#starter = starter;
    this.#circuitFailures = circuitFailures;
    this.#onExpired = onExpired;
    this.#logger = logger;
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
    const others = granted.filter(({ pid }) => pid !== except);
    await Promise.all(others.map((delivery) => this.#tell(delivery)));
    return new Set(granted.map(({ pid }) => pid));
  }

  /**
   * As `dispatch`, a moment later and for all that ask meanwhile: a slot that becomes free costs no
   * transaction of its own.
   */
  soon(subscriptionPid: string): void {
    this.#soon.add(subscriptionPid);
    this.#dispatching ??= this.#dispatchSoon().finally(() => {
      this.#dispatching = null;
      const [more] = this.#soon;
      if (more !== undefined) this.soon(more);
    });
  }

  async #dispatchSoon(): Promise<void> {
    await sleep(SOON_MS);
    const asked = [...this.#soon];
    this.#soon.clear();
    try {
      // Starts are not waited for: those of slow endpoints would hold up the slots of the others.
      for (const delivery of await this.#lease(asked)) void this.#tell(delivery);
    } catch (error) {
      // What fails now is found by the next sweep.
      this.#logger.debug({ err: error }, 'free slots wait for a sweep');
    }
  }

  async #lease(subscriptionPids: readonly string[]): Promise<Granted[]> {
    if (subscriptionPids.length === 0) return [];
    return this.#database.transaction((transaction) =>
      leaseSlots(transaction, subscriptionPids, this.#circuitFailures),
    );
  }

  /** One round over everything that waits. Never throws: what fails now is found again by the next round. */
  async sweep(): Promise<void> {
    try {
      const { waiting, expired } = await sweepDeliveries(this.#database);
      for (const delivery of expired) await this.#onExpired(delivery);
      await this.dispatch(waiting);
      this.#sweeps += 1;
      if (this.#sweeps % RECOVERIES_EVERY === 0) await this.#startRecoveries();
    } catch (error) {
      this.#logger.debug({ err: error }, 'a sweep of deliveries was cut short');
    }
  }

  /** Starts the delivery's workflow, or tells it that something has changed. */
  async #tell(delivery: Granted): Promise<void> {
    try {
      await this.#starter.tell(delivery);
    } catch (error) {
      const { pid: deliveryPid, traceId } = delivery;
      this.#logger.warn({ err: error, deliveryPid, traceId }, 'a delivery could not be started; it is tried again');
      // Should this fail, too, its slot runs out.
      await requeue(this.#database, delivery).catch(() => undefined);
    }
  }

  /** A node that dies between writing a recovery down and starting it leaves that to the others. */
  async #startRecoveries(): Promise<void> {
    for (const { pid, ...attributes } of await unstartedRecoveries(this.#database)) {
      const input: RecoverDeliveriesInput = { recoveryPid: pid };
      await this.#temporal.start(RECOVER_DELIVERIES, {
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
