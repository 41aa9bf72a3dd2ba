import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

interface Commands {
  run(executionPid: string): ReturnType<Activities['applyCommand']>;
}

export function commandActivities(commands: Commands): Pick<Activities, 'applyCommand'> {
  return {
    applyCommand: ({ executionPid }) => failing(commands.run(executionPid)),
  };
}
