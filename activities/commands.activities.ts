import type { CommandRunner } from '../src/commands/command-runner.ts';
import type { Activities } from '../workflows/contracts.ts';
import { toFailure } from './failure.ts';

export function commandActivities(runner: CommandRunner): Pick<Activities, 'applyCommand'> {
  return {
    async applyCommand({ executionPid }) {
      try {
        await runner.run(executionPid);
      } catch (error) {
        throw toFailure(error);
      }
    },
  };
}
