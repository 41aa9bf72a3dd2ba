import type { CommandRunner } from '../src/commands/command-runner.ts';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

export function commandActivities(runner: CommandRunner): Pick<Activities, 'applyCommand'> {
  return {
    applyCommand: ({ executionPid }) => failing(runner.run(executionPid)),
  };
}
