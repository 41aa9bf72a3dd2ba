import { isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import { GROUP, PUT_OFF, TRANSACTION } from './activity-options.ts';
import { isBegunAgain } from './begun-again.ts';
import type { Activities, ExecuteCommandsInput } from './contracts.ts';

const { applyCommands } = proxyLocalActivities<Activities>(GROUP);
const { applyCommand } = proxyLocalActivities<Activities>(PUT_OFF);
const { startCommand } = proxyLocalActivities<Activities>(TRANSACTION);

const PUT_OFF_AT_ONCE = 8;

/**
 * Executes the accepted commands that waited for the same start. Each has its own transaction and outcome, in
 * its execution's row, so none can fail the group.
 */
export async function executeCommands(input: ExecuteCommandsInput): Promise<void> {
  const again = [...(await applyCommands({ ...input, isRepeated: isBegunAgain() })).again];
  const applyNext = async (): Promise<void> => {
    for (let pid = again.shift(); pid !== undefined; pid = again.shift()) await applyAlone(pid, input.groupPid);
  };
  await Promise.all(Array.from({ length: PUT_OFF_AT_ONCE }, applyNext));
}

/**
 * Retries a command by itself; what takes longer gets a workflow of its own, and does not keep the group
 * open.
 */
async function applyAlone(executionPid: string, groupPid: string): Promise<void> {
  try {
    await applyCommand({ executionPid, groupPid });
  } catch (error) {
    if (isCancellation(error)) throw error;
    await startCommand({ executionPid });
  }
}
