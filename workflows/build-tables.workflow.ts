import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { BUILD } from './activity-options.ts';
import type { Activities, BuildTablesInput } from './contracts.ts';

const { buildNext } = proxyActivities<Activities>(BUILD);

/** Builds what is queued for the tables of an environment, one after the other. */
export async function buildTables(input: BuildTablesInput): Promise<void> {
  while (await buildNext(input)) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof buildTables>(input);
  }
}
