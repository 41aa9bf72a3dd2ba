import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import pLimit from 'p-limit';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import type { StartOptions, TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import {
  DELIVER_WEBHOOK,
  DELIVERY_CHANGED,
  deliveryWorkflowId,
  RECOVER_DELIVERIES,
  recoveryWorkflowId,
  type DeliverWebhookInput,
  type RecoverDeliveriesInput,
} from '../../../../workflows/contracts.ts';
import { leaseSlots, requeue, sweepDeliveries, type Expired, type Granted } from './delivery-queue.ts';
import { unstartedRecoveries } from './recoveries.ts';
import { SWEEP_EVERY_MS } from '../webhooks.limits.ts';

const SOON_MS = 5;
/** Every so many sweeps. */
const RECOVERIES_EVERY = 5;
/** Calls to Temporal under way at once. */
const CALLS = 50;

/**
 * Gives queued deliveries their turns: at most 8 in flight per subscription, so one bad endpoint holds up no
 * other. The queue is in Postgres; a workflow is started when its delivery has a slot, or told so when it has
 * been waiting. What gets lost on the way (a crash, Temporal away) comes back into the queue when its slot
 * runs out.
 */
export class DeliveryScheduler {
  readonly #database: Database;
  readonly #temporal: TemporalGateway;
  readonly #circuitFailures: number;
  readonly #onExpired: (delivery: Expired) => Promise<void>;
  readonly #logger: Logger;
  readonly #limit = pLimit(CALLS);
  readonly #rounds = new PollingLoop(SWEEP_EVERY_MS, () => this.sweep());
  readonly #soon = new Set<string>();
  #soonTimer: NodeJS.Timeout | null = null;
  #sweeps = 0;

  /** @param onExpired hears of subscriptions whose deliveries have run out of time */
  constructor(
    database: Database,
    temporal: TemporalGateway,
    circuitFailures: number,
    onExpired: (delivery: Expired) => Promise<void>,
    logger: Logger,
  ) {
    this.#database = database;
    this.#temporal = temporal;
    this.#circuitFailures = circuitFailures;
    this.#onExpired = onExpired;
    this.#logger = logger;
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): void {
    this.#rounds.stop();
  }

  /**
   * Gives the free slots of these subscriptions to their queued deliveries.
   * @returns the pids of the deliveries that got one
   * @throws SERVICE_UNAVAILABLE
   */
  async dispatch(subscriptionPids: readonly string[], except?: string): Promise<ReadonlySet<string>> {
    if (subscriptionPids.length === 0) return new Set();
    const granted = await this.#database.transaction((transaction) =>
      leaseSlots(transaction, subscriptionPids, this.#circuitFailures),
    );
    const others = granted.filter(({ pid }) => pid !== except);
    await Promise.all(others.map((delivery) => this.#limit(() => this.#tell(delivery))));
    return new Set(granted.map(({ pid }) => pid));
  }

  /**
   * As `dispatch`, a moment later and for all that ask meanwhile: a slot that becomes free costs no
   * transaction of its own.
   */
  soon(subscriptionPid: string): void {
    this.#soon.add(subscriptionPid);
    this.#soonTimer ??= setTimeout(() => {
      this.#soonTimer = null;
      const asked = [...this.#soon];
      this.#soon.clear();
      // What fails now is found by the next sweep.
      this.dispatch(asked).catch((error: unknown) => this.#logger.debug({ err: error }, 'free slots wait for a sweep'));
    }, SOON_MS);
  }

  /**
   * Tells a delivery's workflow that the row has changed, unless it has ended already. @throws
   * SERVICE_UNAVAILABLE
   */
  async wake(deliveryPid: string): Promise<void> {
    try {
      await this.#temporal.signal(deliveryWorkflowId(deliveryPid), DELIVERY_CHANGED, null);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
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
    const isOver = delivery.status !== 'PENDING' && delivery.status !== 'RETRYING';
    try {
      const start = startOf(delivery);
      if (isOver) await this.wake(delivery.pid);
      // Only a first attempt surely has no workflow yet, and only a start hands its task to this process.
      else if (delivery.attemptCount > 0) await this.#temporal.signalOrStart(DELIVER_WEBHOOK, start, DELIVERY_CHANGED);
      else await this.#temporal.startOrSignal(DELIVER_WEBHOOK, start, DELIVERY_CHANGED);
    } catch (error) {
      const { pid: deliveryPid, traceId } = delivery;
      this.#logger.warn({ err: error, deliveryPid, traceId }, 'a delivery could not be started; it is tried again');
      // Should this fail, too, its slot runs out.
      await requeue(this.#database, delivery).catch(() => undefined);
    }
  }

  /** A node that dies between writing a recovery down and starting it leaves that to the others. */
  async #startRecoveries(): Promise<void> {
    for (const { pid, ...recovery } of await unstartedRecoveries(this.#database)) {
      const input: RecoverDeliveriesInput = { recoveryPid: pid };
      await this.#temporal
        .start(RECOVER_DELIVERIES, {
          workflowId: recoveryWorkflowId(pid),
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
          args: [input],
          attributes: {
            tenantId: recovery.tenantId,
            environment: recovery.environment,
            subscriptionPid: recovery.subscriptionPid,
          },
        })
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        });
    }
  }
}

function startOf({ pid, ...delivery }: Granted): StartOptions {
  const input: DeliverWebhookInput = { deliveryPid: pid, subscriptionPid: delivery.subscriptionPid };
  return {
    workflowId: deliveryWorkflowId(pid),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    args: [input],
    memo: { traceId: delivery.traceId },
    attributes: {
      tenantId: delivery.tenantId,
      environment: delivery.environment,
      subscriptionPid: delivery.subscriptionPid,
      eventType: delivery.eventType,
      status: delivery.status,
    },
  };
}
