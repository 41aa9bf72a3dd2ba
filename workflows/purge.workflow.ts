import { continueAsNew, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities } from './contracts.ts';

const { purgeBatch } = proxyLocalActivities<Activities>(TRANSACTION);

/** Deletes expired rows in batches, by the features' retention rules. */
export async function purge(): Promise<void> {
  while (await purgeBatch()) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof purge>();
  }
}
