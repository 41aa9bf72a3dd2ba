import { RESET_MAIL } from '../../workflows/contracts.ts';
import { FINAL, outcomes, TRANSIENT } from '../support/stubs.ts';
import { failureCodeOf, schedulingOf, startWorkflow } from '../support/workflows.ts';

describe('the workflow of a password reset', () => {
  it('tries again for up to an hour, until the mail server takes the e-mail', async () => {
    const sendResetMail = outcomes<void>(TRANSIENT, undefined);
    const input = { userPid: 'ada' };

    const handle = await startWorkflow(RESET_MAIL, input, { sendResetMail });
    await handle.result();

    expect(sendResetMail.calls).toEqual([input, input]);
    expect(await schedulingOf(handle)).toEqual([
      {
        activity: 'sendResetMail',
        startToCloseMs: 60_000,
        scheduleToCloseMs: 3_600_000,
        heartbeatMs: 10_000,
        maximumAttempts: 0,
      },
    ]);
  });

  it('ends with an error that is final', async () => {
    const sendResetMail = outcomes<void>(FINAL);

    expect(await failureCodeOf(RESET_MAIL, { userPid: 'ada' }, { sendResetMail })).toBe(FINAL.code);

    expect(sendResetMail.calls).toHaveLength(1);
  });
});
