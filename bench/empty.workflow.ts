import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

const local = proxyLocalActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '30 seconds' });
const remote = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '30 seconds' });

/** The workflows of baseline-workflow.ts. */
export async function empty(): Promise<void> {
  await local.nothing();
}

export async function emptyActivity(): Promise<void> {
  await remote.nothing();
}
