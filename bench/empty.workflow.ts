import { proxyLocalActivities } from '@temporalio/workflow';

const { nothing } = proxyLocalActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '30 seconds' });

/** The workflow of baseline-workflow.ts. */
export async function empty(): Promise<void> {
  await nothing();
}
