import { WorkflowNotFoundError } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import pLimit from 'p-limit';
import type { StartOptions, TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import {
  DELIVER_WEBHOOK,
  DELIVERY_CHANGED,
  deliveryWorkflowId,
  type DeliverWebhookInput,
} from '../../../../workflows/contracts.ts';
import { CALLS } from '../webhooks.limits.ts';
import type { Granted } from './delivery-queue.ts';

/** Starts the workflows of deliveries that need more than one attempt, and signals changes to them. */
export class DeliveryStarter {
  readonly #temporal: TemporalGateway;
  readonly #limit = pLimit(CALLS);

  constructor(temporal: TemporalGateway) {
    this.#temporal = temporal;
  }

  /**
   * Tells the workflow of a delivery that it has a slot, or is over; starts one that is missing.
   * @throws SERVICE_UNAVAILABLE
   */
  notify(delivery: Granted): Promise<void> {
    const isOver = delivery.status !== 'PENDING' && delivery.status !== 'RETRYING';
    if (isOver) return this.#limit(() => this.wake(delivery.pid));
    return this.#limit(() => this.#temporal.signalOrStart(DELIVER_WEBHOOK, startOf(delivery), DELIVERY_CHANGED));
  }

  /**
   * Gives a delivery a workflow that sleeps first, or wakes the one that it has.
   * @throws SERVICE_UNAVAILABLE
   */
  startWaiting(delivery: Granted, waitMs: number): Promise<void> {
    return this.#limit(() =>
      this.#temporal.startOrSignal(DELIVER_WEBHOOK, startOf(delivery, waitMs), DELIVERY_CHANGED),
    );
  }

  /**
   * Signals a delivery's workflow that the row has changed, unless it has ended already. @throws
   * SERVICE_UNAVAILABLE
   */
  async wake(deliveryPid: string): Promise<void> {
    try {
      await this.#temporal.signal(deliveryWorkflowId(deliveryPid), DELIVERY_CHANGED, null);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
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
