import { PURGE } from '../../workflows/contracts.ts';
import { FINAL, outcomes, TRANSIENT } from '../support/stubs.ts';
import { failureCodeOf, runWorkflow } from '../support/workflows.ts';

describe('the workflow of the purge', () => {
  it('deletes batch by batch until nothing is left, and tries a batch again', async () => {
    const purgeBatch = outcomes(true, TRANSIENT, true, false);

    await runWorkflow(PURGE, undefined, { purgeBatch });

    expect(purgeBatch.calls).toHaveLength(4);
  });

  it('ends with an error that is final', async () => {
    const purgeBatch = outcomes<boolean>(true, FINAL);

    expect(await failureCodeOf(PURGE, undefined, { purgeBatch })).toBe(FINAL.code);

    expect(purgeBatch.calls).toHaveLength(2);
  });
});
