import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

const local = proxyLocalActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '30 seconds' });
const remote = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '30 seconds' });

/** Workflow of baseline-workflow.ts with a local activity. */
export async function empty(): Promise<void> {
  await local.nothing();
}

export async function emptyActivity(): Promise<void> {
  await remote.nothing();
}
