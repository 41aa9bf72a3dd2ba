import { proxyLocalActivities } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities } from './contracts.ts';

const { purgeBatch } = proxyLocalActivities<Activities>(TRANSACTION);

/** The most that one run deletes: its schedule starts the next one. */
const MAX_BATCHES = 1_000;

/** Forgets deliveries, attempts and events that are older than the log is to be. */
export async function purgeWebhookLog(): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES && (await purgeBatch()); batch += 1);
}
