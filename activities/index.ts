import type { RunAdvancer } from '../src/automations/run-advancer.ts';
import type { ScheduledRuns } from '../src/automations/scheduled-runs.ts';
import type { StepRunner } from '../src/automations/step-runner.ts';
import type { ReplyMaker } from '../src/assistant/reply-maker.ts';
import type { ResetMails } from '../src/auth/reset-mails.ts';
import type { CommandRunner } from '../src/commands/command-runner.ts';
import type { Retention } from '../src/database/retention.ts';
import type { PromotionWorker } from '../src/promotions/promotion-worker.ts';
import type { SoakWatch } from '../src/promotions/soak-watch.ts';
import type { Deliverer } from '../src/webhooks/deliverer.ts';
import type { DeliveryControl } from '../src/webhooks/delivery-control.ts';
import type { Activities } from '../workflows/contracts.ts';
import { authActivities } from './auth.activities.ts';
import { automationActivities } from './automations.activities.ts';
import { assistantActivities } from './assistant.activities.ts';
import { commandActivities } from './commands.activities.ts';
import { promotionActivities } from './promotions.activities.ts';
import { purgeActivities } from './purge.activities.ts';
import { webhookActivities } from './webhooks.activities.ts';

/** What activities need of the container. */
export interface ActivityDependencies {
  readonly commandRunner: CommandRunner;
  readonly promotionWorker: PromotionWorker;
  readonly soakWatch: SoakWatch;
  readonly deliverer: Deliverer;
  readonly deliveryControl: DeliveryControl;
  readonly purge: Retention;
  readonly runAdvancer: RunAdvancer;
  readonly stepRunner: StepRunner;
  readonly scheduledRuns: ScheduledRuns;
  readonly replyMaker: ReplyMaker;
  readonly resetMails: ResetMails;
}

/** All activities of the worker: thin adapters from steps of a workflow to services. */
export function createActivities(container: ActivityDependencies): Activities {
  const { commandRunner, promotionWorker, soakWatch, deliverer, deliveryControl, purge } = container;
  const { runAdvancer, stepRunner, scheduledRuns } = container;
  const { replyMaker, resetMails } = container;
  return {
    ...commandActivities(commandRunner),
    ...promotionActivities(promotionWorker, soakWatch),
    ...webhookActivities(deliverer, deliveryControl),
    ...purgeActivities(purge),
    ...automationActivities(runAdvancer, stepRunner, scheduledRuns),
    ...assistantActivities(replyMaker),
    ...authActivities(resetMails),
  };
}
