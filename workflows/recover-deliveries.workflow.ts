import { continueAsNew, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities, RecoverDeliveriesInput } from './contracts.ts';

const { recoverBatch } = proxyLocalActivities<Activities>(TRANSACTION);

/** Sends a subscription's failed deliveries again, batch by batch. The progress is in the recovery's row. */
export async function recoverDeliveries(input: RecoverDeliveriesInput): Promise<void> {
  while (await recoverBatch(input)) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof recoverDeliveries>(input);
  }
}
