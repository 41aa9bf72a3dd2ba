import type { CommandRunner } from '../src/commands/command-runner.ts';
import { ApplicationError } from '../src/errors/application-error.ts';
import { toApplicationFailure } from '../src/errors/failure.ts';
import type { Activities } from '../workflows/contracts.ts';

export function commandActivities(runner: CommandRunner): Pick<Activities, 'applyCommand'> {
  return {
    async applyCommand({ executionPid }) {
      try {
        await runner.run(executionPid);
      } catch (error) {
        // An unavailable database is a fault to be retried; every other known error is the command's outcome.
        if (error instanceof ApplicationError && error.status < 500) throw toApplicationFailure(error);
        throw error;
      }
    },
  };
}
