import { DELIVER_WEBHOOK, DELIVERY_CHANGED, type DeliveryState } from '../../workflows/contracts.ts';
import { FINAL, held, outcomes, TRANSIENT } from '../support/stubs.ts';
import { failureCodeOf, runWorkflow, schedulingOf, startWorkflow, timerOf } from '../support/workflows.ts';

const input = { deliveryPid: 'delivery', subscriptionPid: 'subscription' };
const ended = (status: string): DeliveryState => ({ status, ended: true, waitMs: 0 });
const retrying = (waitMs: number): DeliveryState => ({ status: 'RETRYING', ended: false, waitMs });

describe('the workflow of a delivery', () => {
  it('makes an attempt after the delay that the row names, until the row has ended', async () => {
    const attemptDelivery = outcomes(retrying(20), retrying(20), ended('FAILED'));

    expect(await runWorkflow(DELIVER_WEBHOOK, input, { attemptDelivery })).toBe('FAILED');

    expect(attemptDelivery.calls).toEqual([input, input, input]);
  });

  it('tries an attempt again whose outcome could not be stored, without an end', async () => {
    const attemptDelivery = outcomes<DeliveryState>(TRANSIENT, TRANSIENT, ended('SUCCEEDED'));

    const handle = await startWorkflow(DELIVER_WEBHOOK, input, { attemptDelivery });

    expect(await handle.result()).toBe('SUCCEEDED');
    expect(attemptDelivery.calls).toHaveLength(3);
    expect(await schedulingOf(handle)).toMatchObject([
      { activity: 'attemptDelivery', startToCloseMs: 120_000, heartbeatMs: 10_000, maximumAttempts: 0 },
    ]);
  });

  it('ends with an error that is final', async () => {
    const stubs = {
      attemptDelivery: outcomes<DeliveryState>(FINAL),
    };

    expect(await failureCodeOf(DELIVER_WEBHOOK, input, stubs)).toBe(FINAL.code);
  });

  it('looks at the row at once when it is signalled: resent, or given up', async () => {
    const attemptDelivery = outcomes(retrying(600_000), ended('CANCELLED'));
    const handle = await startWorkflow(DELIVER_WEBHOOK, input, { attemptDelivery });
    expect(await timerOf(handle)).toBe(600_000);

    await handle.signal(DELIVERY_CHANGED);

    expect(await handle.result()).toBe('CANCELLED');
  });

  it('sleeps first where a group has made the first attempt, until it is signalled', async () => {
    const attemptDelivery = outcomes(ended('SUCCEEDED'));
    const handle = await startWorkflow(DELIVER_WEBHOOK, { ...input, waitMs: 600_000 }, { attemptDelivery });
    expect(await timerOf(handle)).toBe(600_000);
    expect(attemptDelivery.calls).toEqual([]);

    await handle.signal(DELIVERY_CHANGED);

    expect(await handle.result()).toBe('SUCCEEDED');
    expect(attemptDelivery.calls).toEqual([input]);
  });

  it('looks at the row once more when it is resent during its last attempt', async () => {
    const { stub: attemptDelivery, ...attempt } = held(outcomes(ended('FAILED'), ended('SUCCEEDED')));
    const handle = await startWorkflow(DELIVER_WEBHOOK, input, { attemptDelivery });
    await attempt.begun;

    await handle.signal(DELIVERY_CHANGED);
    attempt.release();

    expect(await handle.result()).toBe('SUCCEEDED');
  });

  it('is found by its status', async () => {
    const attemptDelivery = outcomes(retrying(600_000), ended('SUCCEEDED'));
    const handle = await startWorkflow(DELIVER_WEBHOOK, input, { attemptDelivery });
    await timerOf(handle);
    expect((await handle.describe()).searchAttributes).toMatchObject({ status: ['RETRYING'] });

    await handle.signal(DELIVERY_CHANGED);
    await handle.result();

    expect((await handle.describe()).searchAttributes).toMatchObject({ status: ['SUCCEEDED'] });
  });
});
