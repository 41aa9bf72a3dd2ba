import { proxyLocalActivities } from '@temporalio/workflow';
import { TRANSACTION } from './activity-options.ts';
import type { Activities } from './contracts.ts';

const { purgeBatch } = proxyLocalActivities<Activities>(TRANSACTION);

/** The most that one run deletes: its schedule starts the next one. */
const MAX_BATCHES = 1_000;

/** What earlier versions started in the place of `purge`: one that is under way, or that one of their nodes starts, goes on. */
export async function purgeWebhookLog(): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES && (await purgeBatch()); batch += 1);
}
