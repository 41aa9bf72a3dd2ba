import { Context } from '@temporalio/activity';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

interface Commands {
  run(executionPid: string, options: { readonly groupPid?: string }): Promise<void>;
}

interface CommandGroups {
  run(group: Parameters<Activities['applyCommands']>[0]): ReturnType<Activities['applyCommands']>;
  startAlone(executionPid: string): Promise<void>;
}

interface Batches {
  run(executionPid: string, isRepeated: boolean): Promise<void>;
}

export function commandActivities(
  commands: Commands,
  groups: CommandGroups,
  batches: Batches,
): Pick<Activities, 'applyCommand' | 'applyCommands' | 'applyBatch' | 'startCommand'> {
  const isRetry = (): boolean => Context.current().info.attempt > 1;
  return {
    applyCommand: ({ executionPid, ...options }) => failing(commands.run(executionPid, options)),
    applyCommands: ({ isRepeated, ...group }) => failing(groups.run({ ...group, isRepeated: isRepeated || isRetry() })),
    applyBatch: ({ executionPid, isRepeated }) => failing(batches.run(executionPid, isRepeated || isRetry())),
    startCommand: ({ executionPid }) => failing(groups.startAlone(executionPid)),
  };
}
