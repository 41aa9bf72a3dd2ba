import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import { IMPORT } from './activity-options.ts';
import type { Activities, ImportRecordsInput } from './contracts.ts';

const { runImport } = proxyActivities<Activities>(IMPORT);

const WAIT_FOR_TURN = '2 seconds';

/** Imports a file. How far it is, and what became of it, is in the import's row. */
export async function importRecords(input: ImportRecordsInput): Promise<void> {
  while (!(await runImport(input))) {
    await sleep(WAIT_FOR_TURN);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof importRecords>(input);
  }
}
