import { PURGE, PURGE_WEBHOOK_LOG } from '../../workflows/contracts.ts';
import { FINAL, outcomes, TRANSIENT } from '../support/stubs.ts';
import { failureCodeOf, runWorkflow } from '../support/workflows.ts';

describe.each([PURGE, PURGE_WEBHOOK_LOG])('the workflow %s', (type) => {
  it('deletes batch by batch until nothing is left, and tries a batch again', async () => {
    const purgeBatch = outcomes(true, TRANSIENT, true, false);

    await runWorkflow(type, undefined, { purgeBatch });

    expect(purgeBatch.calls).toHaveLength(4);
  });

  it('ends with an error that is final', async () => {
    const purgeBatch = outcomes<boolean>(true, FINAL);

    expect(await failureCodeOf(type, undefined, { purgeBatch })).toBe(FINAL.code);

    expect(purgeBatch.calls).toHaveLength(2);
  });
});
