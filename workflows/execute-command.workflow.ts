import { proxyLocalActivities } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities, ExecuteCommandInput } from './contracts.ts';

const { applyCommand } = proxyLocalActivities<Activities>(TRANSACTION);

/** Executes an accepted command. The outcome is in the execution's row. */
export async function executeCommand(input: ExecuteCommandInput): Promise<void> {
  await applyCommand(input);
}
