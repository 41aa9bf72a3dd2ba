import type { CommandRunner } from '../src/commands/command-runner.ts';
import type { Activities } from '../workflows/contracts.ts';
import { commandActivities } from './commands.activities.ts';

/** What activities need of the container. */
export interface ActivityDependencies {
  readonly commandRunner: CommandRunner;
}

/** All activities of the worker: thin adapters from steps of a workflow to services. */
export function createActivities({ commandRunner }: ActivityDependencies): Activities {
  return { ...commandActivities(commandRunner) };
}
