import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities, DeliverWebhooksInput } from './contracts.ts';

const { attemptTogether, startDeliveries } = proxyLocalActivities<Activities>(TRANSACTION);

/** Events of a history when its first workflow task begins: started, task scheduled, task started. */
const FIRST_EVENTS = 3;

/**
 * Makes the first attempts of deliveries that waited for the same start. A delivery that needs more than that
 * goes on in a workflow of its own.
 */
export async function deliverWebhooks(input: DeliverWebhooksInput): Promise<void> {
  // A longer history shows that an earlier worker began the group and died.
  const isRepeated = workflowInfo().historyLength > FIRST_EVENTS;
  const { unfinished } = await attemptTogether({ ...input, isRepeated });
  if (unfinished.length > 0) await startDeliveries({ deliveryPids: unfinished });
}
