import { WorkflowNotFoundError } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import pLimit from 'p-limit';
import { unavailable } from '../../../foundation/errors/application-error.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';
import { distinct, summaryOf } from '../../../foundation/temporal/group-summary.ts';
import { StartLane } from '../../../foundation/temporal/start-lane.ts';
import type { StartOptions, TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import {
  DELIVER_WEBHOOK,
  DELIVER_WEBHOOKS,
  DELIVERY_CHANGED,
  deliveryGroupWorkflowId,
  deliveryWorkflowId,
  type DeliverWebhookInput,
  type DeliverWebhooksInput,
} from '../../../../workflows/contracts.ts';
import { CALLS, GROUP } from '../webhooks.limits.ts';
import type { Granted } from './delivery-queue.ts';
import type { EndpointSpeeds } from './endpoint-speeds.ts';
import { FirstAttempts } from './first-attempts.ts';

/**
 * Starts the workflows of deliveries and tells them of changes. First attempts that wait for the same start
 * share a workflow.
 */
export class DeliveryStarter {
  readonly #temporal: TemporalGateway;
  readonly #speeds: EndpointSpeeds;
  readonly #attempts = new FirstAttempts();
  readonly #lane: StartLane<Granted>;
  readonly #limit = pLimit(CALLS);

  /** @param groupMax most first attempts that share a workflow */
  constructor(temporal: TemporalGateway, speeds: EndpointSpeeds, groupMax: number, metrics: Metrics) {
    this.#temporal = temporal;
    this.#speeds = speeds;
    this.#lane = new StartLane<Granted>(
      {
        things: 'deliveries',
        maxSize: groupMax,
        maxWaiting: Infinity,
        maxOfOneTenant: GROUP.maxOfOneTenant,
        maxStillMs: 0,
        maxHoldMs: 0,
        returnMs: 0,
        maxWaitMs: GROUP.maxWaitMs,
        startOne: (delivery) => this.#limit(() => this.#start(delivery)),
        startGroup: (groupPid, deliveries) => this.#startGroup(groupPid, deliveries),
        canRepeat: (error) => temporal.wasOnlySlow(error),
        holdUntil: ({ pid }) => this.#attempts.wait(pid, GROUP.waitMs),
        overloaded: () => unavailable('temporal'),
      },
      metrics,
      'delivery',
    );
  }

  /**
   * Starts the workflow of a delivery that has a slot, or tells it that something has changed.
   * @throws SERVICE_UNAVAILABLE
   */
  async tell(delivery: Granted): Promise<void> {
    const isOver = delivery.status !== 'PENDING' && delivery.status !== 'RETRYING';
    if (isOver) return this.#limit(() => this.wake(delivery.pid));
    // Only a first attempt surely has no workflow yet, and only a start hands its task to this process.
    if (delivery.attemptCount > 0) {
      return this.#limit(() => this.#temporal.signalOrStart(DELIVER_WEBHOOK, startOf(delivery), DELIVERY_CHANGED));
    }
    if (this.#speeds.isSlow(delivery.subscriptionPid)) return this.#limit(() => this.#start(delivery));
    return this.#lane.start(delivery);
  }

  /**
   * Gives a delivery a workflow of its own that sleeps first, or wakes the one that it has.
   * @throws SERVICE_UNAVAILABLE
   */
  startWaiting(delivery: Granted, waitMs: number): Promise<void> {
    return this.#limit(() => this.#start(delivery, waitMs));
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

  /** An attempt has ended in this process, so another one may start. */
  release(deliveryPid: string): void {
    this.#attempts.publishEnd(deliveryPid);
  }

  /** Starts or refuses what still waits. */
  close(): Promise<void> {
    return this.#lane.close();
  }

  #start(delivery: Granted, waitMs = 0): Promise<void> {
    return this.#temporal.startOrSignal(DELIVER_WEBHOOK, startOf(delivery, waitMs), DELIVERY_CHANGED);
  }

  async #startGroup(groupPid: string, deliveries: readonly Granted[]): Promise<void> {
    const deliveryPids = deliveries.map(({ pid }) => pid);
    const input: DeliverWebhooksInput = { groupPid, deliveryPids };
    const environments = distinct(deliveries.map(({ environment }) => environment));
    const eventTypes = deliveries.map(({ eventType }) => eventType);
    await this.#temporal.start(DELIVER_WEBHOOKS, {
      workflowId: deliveryGroupWorkflowId(groupPid),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      args: [input],
      memo: { deliveryPids, traceIds: [...new Set(deliveries.map(({ traceId }) => traceId))] },
      summary: summaryOf('deliveries', eventTypes),
      attributes: environments.length === 1 ? { environment: environments[0] } : {},
      attributeLists: {
        tenantIds: distinct(deliveries.map(({ tenantId }) => tenantId)),
        subscriptionPids: distinct(deliveries.map(({ subscriptionPid }) => subscriptionPid)),
      },
    });
  }
}

function startOf({ pid, ...delivery }: Granted, waitMs = 0): StartOptions {
  const { subscriptionPid } = delivery;
  const input: DeliverWebhookInput = {
    deliveryPid: pid,
    subscriptionPid,
    ...(waitMs > 0 && { waitMs: Math.ceil(waitMs) }),
  };
  return {
    workflowId: deliveryWorkflowId(pid),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    args: [input],
    memo: { traceId: delivery.traceId },
    attributes: {
      tenantId: delivery.tenantId,
      environment: delivery.environment,
      subscriptionPid,
      eventType: delivery.eventType,
      status: delivery.status,
    },
  };
}
