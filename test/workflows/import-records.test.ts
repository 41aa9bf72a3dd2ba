import { IMPORT_RECORDS } from '../../workflows/contracts.ts';
import { FINAL, outcomes, TRANSIENT } from '../support/stubs.ts';
import { failureCodeOf, runWorkflow } from '../support/workflows.ts';

describe('the workflow importRecords', () => {
  it('goes on after a passing fault, and asks again where a worker has no room', async () => {
    const runImport = outcomes<boolean>(TRANSIENT, false, true);

    await runWorkflow(IMPORT_RECORDS, { importPid: 'one' }, { runImport });

    expect(runImport.calls).toHaveLength(3);
  });

  it('ends with an error that is final', async () => {
    const runImport = outcomes<boolean>(FINAL);

    expect(await failureCodeOf(IMPORT_RECORDS, { importPid: 'one' }, { runImport })).toBe(FINAL.code);
  });
});
