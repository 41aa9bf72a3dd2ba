import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities, FireAutomationInput } from './contracts.ts';

const activities = proxyLocalActivities<Activities>(TRANSACTION);

/** A schedule has come due. Temporal names each of its workflows after the time it was due at: so this is done once. */
export async function fireAutomation(input: FireAutomationInput): Promise<void> {
  await activities.fireAutomation({ ...input, fireId: workflowInfo().workflowId });
}
