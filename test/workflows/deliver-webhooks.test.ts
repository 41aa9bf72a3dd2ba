import { ulid } from 'ulid';
import { DELIVER_WEBHOOKS, deliveryGroupWorkflowId } from '../../workflows/contracts.ts';
import { outcomes, TRANSIENT, type Stubs } from '../support/stubs.ts';
import { runWorkflow } from '../support/workflows.ts';

const DELIVERIES = ['one', 'two', 'three'];

/** Runs the workflow of a group to its end. Gives its input. */
async function run(stubs: Stubs) {
  const input = { groupPid: ulid(), deliveryPids: DELIVERIES };
  await runWorkflow(DELIVER_WEBHOOKS, input, stubs, deliveryGroupWorkflowId(input.groupPid));
  return input;
}

describe('a group of first attempts', () => {
  it('is made by one activity, and ends', async () => {
    const attemptTogether = outcomes({ unfinished: [] });

    const input = await run({ attemptTogether });

    expect(attemptTogether.calls).toEqual([{ ...input, isRepeated: false }]);
  });

  it('gives workflows of their own to the deliveries that go on', async () => {
    const startDeliveries = outcomes<void>(TRANSIENT, undefined);

    await run({ attemptTogether: outcomes({ unfinished: ['one', 'three'] }), startDeliveries });

    const call = { deliveryPids: ['one', 'three'] };
    expect(startDeliveries.calls).toEqual([call, call]);
  });

  it('is tried again when Postgres was away', async () => {
    const attemptTogether = outcomes<{ unfinished: string[] }>(TRANSIENT, { unfinished: [] });

    await run({ attemptTogether });

    expect(attemptTogether.calls).toHaveLength(2);
  });
});
