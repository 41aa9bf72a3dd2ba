import type { ReplyMaker } from '../src/assistant/reply-maker.ts';
import type { CommandRunner } from '../src/commands/command-runner.ts';
import type { PromotionWorker } from '../src/promotions/promotion-worker.ts';
import type { Deliverer } from '../src/webhooks/deliverer.ts';
import type { DeliveryControl } from '../src/webhooks/delivery-control.ts';
import type { LogRetention } from '../src/webhooks/log-retention.ts';
import type { Activities } from '../workflows/contracts.ts';
import { assistantActivities } from './assistant.activities.ts';
import { commandActivities } from './commands.activities.ts';
import { promotionActivities } from './promotions.activities.ts';
import { webhookActivities } from './webhooks.activities.ts';

/** What activities need of the container. */
export interface ActivityDependencies {
  readonly commandRunner: CommandRunner;
  readonly promotionWorker: PromotionWorker;
  readonly deliverer: Deliverer;
  readonly deliveryControl: DeliveryControl;
  readonly logRetention: LogRetention;
  readonly replyMaker: ReplyMaker;
}

/** All activities of the worker: thin adapters from steps of a workflow to services. */
export function createActivities(container: ActivityDependencies): Activities {
  const { commandRunner, promotionWorker, deliverer, deliveryControl, logRetention, replyMaker } = container;
  return {
    ...commandActivities(commandRunner),
    ...promotionActivities(promotionWorker),
    ...webhookActivities(deliverer, deliveryControl, logRetention),
    ...assistantActivities(replyMaker),
  };
}
