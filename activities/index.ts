import type { CommandRunner } from '../src/commands/command-runner.ts';
import type { PromotionWorker } from '../src/promotions/promotion-worker.ts';
import type { SoakWatch } from '../src/promotions/soak-watch.ts';
import type { Activities } from '../workflows/contracts.ts';
import { commandActivities } from './commands.activities.ts';
import { promotionActivities } from './promotions.activities.ts';

/** What activities need of the container. */
export interface ActivityDependencies {
  readonly commandRunner: CommandRunner;
  readonly promotionWorker: PromotionWorker;
  readonly soakWatch: SoakWatch;
}

/** All activities of the worker: thin adapters from steps of a workflow to services. */
export function createActivities({ commandRunner, promotionWorker, soakWatch }: ActivityDependencies): Activities {
  return { ...commandActivities(commandRunner), ...promotionActivities(promotionWorker, soakWatch) };
}
