import { proxyLocalActivities } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities } from './contracts.ts';

const { purgeBatch } = proxyLocalActivities<Activities>(TRANSACTION);

/** Batches of one run; its schedule starts the next one. */
const MAX_BATCHES = 1_000;

/** Predecessor of `purge`, kept for workflows that nodes of earlier versions have started. */
export async function purgeWebhookLog(): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES && (await purgeBatch()); batch += 1);
}
