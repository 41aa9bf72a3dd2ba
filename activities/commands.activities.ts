import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';
import { isRetry } from './context.ts';

interface Commands {
  run(executionPid: string, options: { readonly groupPid?: string }): Promise<void>;
  runGroup(group: Parameters<Activities['applyCommands']>[0]): ReturnType<Activities['applyCommands']>;
  startAlone(executionPid: string): Promise<void>;
}

interface Batches {
  run(executionPid: string, isRepeated: boolean): Promise<void>;
}

export function commandActivities(
  commands: Commands,
  batches: Batches,
): Pick<Activities, 'applyCommand' | 'applyCommands' | 'applyBatch' | 'startCommand'> {
  return {
    applyCommand: ({ executionPid, ...options }) => failing(commands.run(executionPid, options)),
    applyCommands: ({ isRepeated, ...group }) =>
      failing(commands.runGroup({ ...group, isRepeated: isRepeated || isRetry() })),
    applyBatch: ({ executionPid, isRepeated }) => failing(batches.run(executionPid, isRepeated || isRetry())),
    startCommand: ({ executionPid }) => failing(commands.startAlone(executionPid)),
  };
}
