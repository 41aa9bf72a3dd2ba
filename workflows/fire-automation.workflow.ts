import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities, FireAutomationInput } from './contracts.ts';

const activities = proxyLocalActivities<Activities>(TRANSACTION);

/**
 * Starts the runs of a due schedule. Temporal names the workflow after the due time, so each is started once.
 */
export async function fireAutomation(input: FireAutomationInput): Promise<void> {
  await activities.fireAutomation({ ...input, fireId: workflowInfo().workflowId });
}
