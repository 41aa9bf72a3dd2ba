import { FIRE_AUTOMATION } from '../../workflows/contracts.ts';
import { FINAL, outcomes, TRANSIENT } from '../support/stubs.ts';
import { failureCodeOf, runWorkflow } from '../support/workflows.ts';

const input = { environment: 'dev', automationCode: 'nightly' };

describe('the workflow of a schedule that has come due', () => {
  it('names every attempt after itself, so that the runs are made once', async () => {
    const fireAutomation = outcomes<void>(TRANSIENT, undefined);
    const fireId = `schedule-at-${Date.now()}`;

    await runWorkflow(FIRE_AUTOMATION, input, { fireAutomation }, fireId);

    expect(fireAutomation.calls).toEqual([
      { ...input, fireId },
      { ...input, fireId },
    ]);
  });

  it('ends with an error that is final', async () => {
    const fireAutomation = outcomes<void>(FINAL);

    expect(await failureCodeOf(FIRE_AUTOMATION, input, { fireAutomation })).toBe(FINAL.code);
  });
});
