import { proxyLocalActivities } from '@temporalio/workflow';
import { BATCH } from './activity-options.ts';
import { isBegunAgain } from './begun-again.ts';
import type { Activities, ExecuteCommandInput } from './contracts.ts';

const { applyBatch } = proxyLocalActivities<Activities>(BATCH);

/** Executes the items of an accepted batch. Their outcomes are in their executions' rows. */
export async function executeBatch(input: ExecuteCommandInput): Promise<void> {
  await applyBatch({ ...input, isRepeated: isBegunAgain() });
}
