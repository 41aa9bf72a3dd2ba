import { CHAT, CHAT_CHANGED, type ChatState } from '../../workflows/contracts.ts';
import { until } from '../support/faults.ts';
import { FINAL, held, outcomes, TRANSIENT } from '../support/stubs.ts';
import { runWorkflow, schedulingOf, startWorkflow, timerOf } from '../support/workflows.ts';

const input = { messagePid: 'message' };
const ended = (status: string): ChatState => ({ status, ended: true, waitMs: 0 });
const waiting = (waitMs: number): ChatState => ({ status: 'WAITING', ended: false, waitMs });

describe('the workflow of a reply', () => {
  it('makes it, and ends with its status', async () => {
    const makeReply = outcomes(ended('COMPLETED'));

    expect(await runWorkflow(CHAT, input, { makeReply })).toBe('COMPLETED');

    expect(makeReply.calls).toEqual([input]);
  });

  it('asks again after the delay that the row names', async () => {
    const makeReply = outcomes(waiting(20), waiting(20), ended('COMPLETED'));

    expect(await runWorkflow(CHAT, input, { makeReply })).toBe('COMPLETED');

    expect(makeReply.calls).toHaveLength(3);
  });

  it('asks again at once when it is signalled', async () => {
    const makeReply = outcomes(waiting(600_000), ended('STOPPED'));
    const handle = await startWorkflow(CHAT, input, { makeReply });
    expect(await timerOf(handle)).toBe(600_000);

    await handle.signal(CHAT_CHANGED);

    expect(await handle.result()).toBe('STOPPED');
  });

  it('keeps a signal that comes while a worker is at it', async () => {
    const making = held(outcomes(waiting(600_000), ended('STOPPED')));
    const handle = await startWorkflow(CHAT, input, { makeReply: making.stub });
    await making.begun;

    await handle.signal(CHAT_CHANGED);
    making.release();

    expect(await handle.result()).toBe('STOPPED');
  });

  it('is tried eight times, by a worker that reports every few seconds', async () => {
    const makeReply = outcomes<ChatState>(TRANSIENT, TRANSIENT, ended('COMPLETED'));

    const handle = await startWorkflow(CHAT, input, { makeReply });

    expect(await handle.result()).toBe('COMPLETED');
    expect(makeReply.calls).toHaveLength(3);
    expect(await schedulingOf(handle)).toMatchObject([
      { activity: 'makeReply', startToCloseMs: 600_000, heartbeatMs: 5_000, maximumAttempts: 8 },
    ]);
  });

  it('ends with an error that its reader sees when no worker can make it', async () => {
    const makeReply = outcomes<ChatState>(FINAL);
    const giveReplyUp = outcomes<ChatState>(TRANSIENT, ended('FAILED'));

    expect(await runWorkflow(CHAT, input, { makeReply, giveReplyUp })).toBe('FAILED');

    expect(makeReply.calls).toHaveLength(1);
    expect(giveReplyUp.calls).toEqual([input, input]);
  });

  it('is not given up when an operator cancels the workflow', async () => {
    const making = held(outcomes(ended('STOPPED')));
    const giveReplyUp = outcomes(ended('FAILED'));
    const handle = await startWorkflow(CHAT, input, { makeReply: making.stub, giveReplyUp });
    await making.begun;

    await handle.cancel();

    await until('it is cancelled', async () => (await handle.describe()).status.name === 'CANCELLED');
    expect(giveReplyUp.calls).toEqual([]);
    making.release();
  });
});
