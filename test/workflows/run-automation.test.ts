import { RUN_AUTOMATION, RUN_CHANGED, type RunState, type StepCall } from '../../workflows/contracts.ts';
import { until } from '../support/faults.ts';
import { FINAL, held, outcomes, TRANSIENT } from '../support/stubs.ts';
import { failureCodeOf, runWorkflow, schedulingOf, startWorkflow, timerOf } from '../support/workflows.ts';

const input = { runPid: 'run' };
const call = (key: string, more: Partial<StepCall> = {}): StepCall => ({ key, attempt: 1, timeoutMs: 5_000, ...more });
const running = (...steps: StepCall[]): RunState => ({ status: 'RUNNING', ended: false, steps, waitMs: 600_000 });
const waiting = (waitMs: number): RunState => ({ status: 'WAITING', ended: false, steps: [], waitMs });
const ended = (status: string): RunState => ({ status, ended: true, steps: [], waitMs: 600_000 });

describe('the workflow of a run', () => {
  it('does the steps that the rows name, each in an activity of its own, and looks again after each', async () => {
    const advanceRun = outcomes(running(call('a')), running(call('b', { attempt: 2 })), ended('SUCCEEDED'));
    const runStep = outcomes<void>(undefined);

    expect(await runWorkflow(RUN_AUTOMATION, input, { advanceRun, runStep })).toBe('SUCCEEDED');

    expect(advanceRun.calls).toEqual([input, input, input]);
    expect(runStep.calls).toEqual([
      { ...input, ...call('a') },
      { ...input, ...call('b', { attempt: 2 }) },
    ]);
  });

  it('does steps side by side, and begins none twice that is under way', async () => {
    const begun: string[] = [];
    const step = held(async () => undefined);
    const runStep = ({ key }: StepCall) => {
      begun.push(key);
      return step.stub();
    };
    const steps = ['a[0]', 'a[1]', 'a[2]'].map((key) => call(key));
    const advanceRun = outcomes(running(...steps), running(...steps), ended('SUCCEEDED'));
    const handle = await startWorkflow(RUN_AUTOMATION, input, { advanceRun, runStep });
    await until('all have begun', () => begun.length === 3);

    await handle.signal(RUN_CHANGED);
    await until('it has looked again, while all are under way', async () => {
      const { raw } = await handle.describe();
      return advanceRun.calls.length === 2 && raw.pendingActivities?.length === 3 && !raw.pendingWorkflowTask;
    });
    step.release();

    expect(await handle.result()).toBe('SUCCEEDED');
    expect(begun.sort()).toEqual(['a[0]', 'a[1]', 'a[2]']);
  });

  it('gives a step its own time-out and half a minute more, and misses a worker that died', async () => {
    const advanceRun = outcomes(running(call('a', { timeoutMs: 900_000 })), ended('SUCCEEDED'));
    const runStep = outcomes<void>(TRANSIENT, undefined);

    const handle = await startWorkflow(RUN_AUTOMATION, input, { advanceRun, runStep });
    await handle.result();

    expect(runStep.calls).toHaveLength(2);
    expect(await schedulingOf(handle)).toMatchObject([
      { activity: 'runStep', startToCloseMs: 930_000, heartbeatMs: 10_000, maximumAttempts: 0 },
    ]);
  });

  it('pauses before it looks again when a step could not be run', async () => {
    const advanceRun = outcomes(running(call('a')));

    const handle = await startWorkflow(RUN_AUTOMATION, input, { advanceRun, runStep: outcomes<void>(FINAL) });

    await until('it pauses', async () => (await timerOf(handle)) === 5_000);
    expect(advanceRun.calls).toHaveLength(1);
  });

  it('ends with an error of the rows that is final, and looks again at one that passes', async () => {
    const advanceRun = outcomes<RunState>(TRANSIENT, FINAL);

    expect(await failureCodeOf(RUN_AUTOMATION, input, { advanceRun })).toBe(FINAL.code);

    expect(advanceRun.calls).toHaveLength(2);
  });

  it('looks again after the time that the rows name', async () => {
    const advanceRun = outcomes(waiting(20), waiting(20), ended('SUCCEEDED'));

    expect(await runWorkflow(RUN_AUTOMATION, input, { advanceRun })).toBe('SUCCEEDED');

    expect(advanceRun.calls).toHaveLength(3);
  });

  it('looks at once when it is signalled, and is found by its status', async () => {
    const advanceRun = outcomes(waiting(600_000), ended('CANCELLED'));
    const handle = await startWorkflow(RUN_AUTOMATION, input, { advanceRun });
    expect(await timerOf(handle)).toBe(600_000);
    expect((await handle.describe()).searchAttributes).toMatchObject({ status: ['WAITING'] });

    await handle.signal(RUN_CHANGED);

    expect(await handle.result()).toBe('CANCELLED');
    expect((await handle.describe()).searchAttributes).toMatchObject({ status: ['CANCELLED'] });
  });

  it('looks once more when it is signalled while it ends: a retry', async () => {
    const states = outcomes(ended('FAILED'), running(call('a', { attempt: 2 })), ended('SUCCEEDED'));
    const look = held(states);
    const stubs = { advanceRun: look.stub, runStep: outcomes<void>(undefined) };
    const handle = await startWorkflow(RUN_AUTOMATION, input, stubs);
    await look.begun;

    await handle.signal(RUN_CHANGED);
    look.release();

    expect(await handle.result()).toBe('SUCCEEDED');
  });

  it('waits for the steps under way before it ends', async () => {
    const advanceRun = outcomes(running(call('a')), ended('CANCELLED'));
    const step = held(outcomes<void>(undefined));
    const handle = await startWorkflow(RUN_AUTOMATION, input, { advanceRun, runStep: step.stub });
    await step.begun;

    await handle.signal(RUN_CHANGED);
    await until('the rows have ended', () => advanceRun.calls.length === 2);
    expect((await handle.describe()).status.name).toBe('RUNNING');
    step.release();

    expect(await handle.result()).toBe('CANCELLED');
  });

  it('goes on in a new history when it has become long, once no step is under way', async () => {
    const keys = Array.from({ length: 200 }, (_, index) => `a[${index}]`);
    const begun: string[] = [];
    const done = new Set<string>();
    const last = held(async () => undefined);
    const advanceRun = async () => {
      const left = keys.filter((key) => !done.has(key));
      return left.length > 0 ? running(...left.map((key) => call(key))) : ended('SUCCEEDED');
    };
    const runStep = async ({ key }: StepCall) => {
      begun.push(key);
      if (key === keys.at(-1)) await last.stub();
      done.add(key);
    };
    const handle = await startWorkflow(RUN_AUTOMATION, input, { advanceRun, runStep });

    await until('it waits for the last step', async () => {
      const { raw, historyLength } = await handle.describe();
      return raw.pendingActivities?.length === 1 && !raw.pendingWorkflowTask && historyLength > 500;
    });
    expect((await handle.describe()).runId).toBe(handle.firstExecutionRunId);
    last.release();

    expect(await handle.result()).toBe('SUCCEEDED');
    expect((await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
    expect(begun).toHaveLength(keys.length);
  });
});
