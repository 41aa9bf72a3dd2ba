import { continueAsNew, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities } from './contracts.ts';

const { purgeBatch } = proxyLocalActivities<Activities>(TRANSACTION);

/** Forgets what is older than it is kept, batch by batch. What that is the features say. */
export async function purge(): Promise<void> {
  while (await purgeBatch()) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof purge>();
  }
}
