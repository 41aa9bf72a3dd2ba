import { RECOVER_DELIVERIES } from '../../workflows/contracts.ts';
import { FINAL, outcomes, TRANSIENT } from '../support/stubs.ts';
import { failureCodeOf, runWorkflow } from '../support/workflows.ts';

const input = { recoveryPid: 'recovery' };

describe('the workflow of a recovery', () => {
  it('sends batch by batch until none is left, and tries a batch again', async () => {
    const recoverBatch = outcomes(true, TRANSIENT, true, false);

    await runWorkflow(RECOVER_DELIVERIES, input, { recoverBatch });

    expect(recoverBatch.calls).toEqual([input, input, input, input]);
  });

  it('ends with an error that is final', async () => {
    const recoverBatch = outcomes<boolean>(FINAL);

    expect(await failureCodeOf(RECOVER_DELIVERIES, input, { recoverBatch })).toBe(FINAL.code);
  });
});
