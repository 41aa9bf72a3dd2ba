import { Definition } from '../../src/features/automations/definition/definition.ts';
import { planRetry } from '../../src/features/automations/runs/retry-plan.ts';
import { RunContext } from '../../src/features/automations/runs/run-context.ts';
import { RunInterpreter, type RunProgress } from '../../src/features/automations/runs/run-interpreter.ts';
import { retryDelayMs } from '../../src/features/automations/runs/retry-delay.ts';
import type { StepRow } from '../../src/features/automations/runs/step-store.ts';
import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';

/** A run in memory: interprets it, and ends steps as their activities would. */
class Run {
  readonly definition: Definition;
  rows: StepRow[] = [];
  outputs = new Map<string, unknown>();
  now = Date.parse('2026-01-01T00:00:00Z');
  progress: Pick<RunProgress, 'ending' | 'error'> = { ending: null, error: null };

  constructor(...steps: AnyStep[]) {
    this.definition = new Definition('t', { name: 'T', trigger: { type: 'manual' }, steps });
  }

  async interpret(): Promise<RunInterpreter> {
    const facts = {
      ...{ pid: 'R', automationCode: 't', input: { n: 2 }, event: null, userPid: 'U', username: 'u', tenantId: '1' },
      createdAt: '2026-01-01T00:00:00.000Z',
    };
    const context = new RunContext(this.definition, facts, async (keys) => {
      return new Map(keys.filter((key) => this.outputs.has(key)).map((key) => [key, this.outputs.get(key)]));
    });
    const interpreter = new RunInterpreter(this.definition, context, this.rows, {
      ...this.progress,
      now: new Date(this.now),
      findMember: (named) => Promise.resolve(named),
    });
    await interpreter.interpret();
    for (const [key, { output, ...row }] of interpreter.changes) {
      const at = this.rows.findIndex((known) => known.key === key);
      this.rows.splice(at < 0 ? this.rows.length : at, at < 0 ? 0 : 1, row);
      if (output !== undefined) this.outputs.set(key, output);
    }
    this.progress = { ending: interpreter.ending, error: interpreter.error };
    return interpreter;
  }

  end(key: string, change: Partial<StepRow> = {}, output: unknown = null): void {
    this.now += 1_000;
    const finishedAt = new Date(this.now).toISOString();
    this.rows = this.rows.map((row) =>
      row.key === key ? { ...row, status: 'SUCCEEDED', finishedAt, ...change } : row,
    );
    this.outputs.set(key, output);
  }

  get states(): string[] {
    return this.rows.map(({ key, status }) => `${key} ${status}`);
  }
}

const command = (id: string, more: object = {}): AnyStep => ({
  ...{ id, type: 'command', commandCode: 'a:b' },
  ...more,
});
const keys = ({ calls }: RunInterpreter): string[] => calls.map(({ key }) => key);
const error = { code: 'CONFLICT' as const, message: 'no', data: null };
const failed = { status: 'FAILED' as const, error };
const undo = { compensation: { commandCode: 'a:undo' } };

describe('the interpretation of a run', () => {
  it('begins one step after the other, and ends when none is left', async () => {
    const run = new Run(command('a'), command('b'));
    expect(keys(await run.interpret())).toEqual(['a']);
    expect(keys(await run.interpret())).toEqual(['a']);
    run.end('a');
    expect(keys(await run.interpret())).toEqual(['b']);
    run.end('b');
    expect(await run.interpret()).toMatchObject({ ended: true, ending: null, calls: [] });
  });

  it('keeps as many items of a for-each going as it may', async () => {
    const run = new Run({
      ...{ id: 'each', type: 'forEach', items: '["x", "y", "z"]', concurrency: 2 },
      steps: [command('a'), { id: 'is_x', type: 'condition', assert: 'item == "x"' }, command('b')],
    });
    expect(keys(await run.interpret())).toEqual(['a[0]', 'a[1]']);
    run.end('a[0]');
    run.end('a[1]');
    // y ends with the condition, so z may begin.
    expect(keys(await run.interpret())).toEqual(['b[0]', 'a[2]']);
    run.end('b[0]');
    run.end('a[2]');
    expect((await run.interpret()).ended).toBe(true);
    expect(run.states).toContain('each SUCCEEDED');
  });

  it('waits until a time, and says how long', async () => {
    const run = new Run({ id: 'w', type: 'wait', seconds: 60 }, command('a'));
    await run.interpret();
    const start = run.now;
    expect((await run.interpret()).dueAt).toBe(start + 60_000);
    run.now += 60_000;
    expect(keys(await run.interpret())).toEqual(['a']);
  });

  it('makes the next attempt of a step when it is due', async () => {
    const run = new Run(command('a'));
    await run.interpret();
    run.end('a', { status: 'RETRYING', dueAt: new Date(run.now + 5_000).toISOString(), finishedAt: null });
    expect(await run.interpret()).toMatchObject({ calls: [], ended: false });
    run.now += 5_000;
    expect((await run.interpret()).calls).toMatchObject([{ key: 'a', attempt: 2 }]);
  });

  it('undoes what succeeded, one after the other, the last first, when a step fails', async () => {
    const run = new Run(command('a', undo), command('b', undo), command('c', undo));
    for (const key of ['a', 'b']) {
      await run.interpret();
      run.end(key);
    }
    await run.interpret();
    run.end('c', failed);
    expect(keys(await run.interpret())).toEqual(['undo:b']);
    expect(keys(await run.interpret())).toEqual(['undo:b']);
    run.end('undo:b', failed);
    expect(keys(await run.interpret())).toEqual(['undo:a']);
    run.end('undo:a');
    expect(await run.interpret()).toMatchObject({ ended: true, ending: 'FAILED', error: { data: { step: 'c' } } });
  });

  it('lets what is under way end before it undoes, when it is cancelled', async () => {
    const run = new Run({
      ...{ id: 'each', type: 'forEach', items: '[1, 2]', concurrency: 2 },
      steps: [command('a', undo), { id: 'ask', type: 'approval', role: 'X' }],
    });
    await run.interpret();
    run.end('a[0]');
    await run.interpret();
    run.progress = { ending: 'CANCELLED', error };
    expect(keys(await run.interpret())).toEqual(['a[1]']);
    expect(run.states).toContain('ask[0] CANCELLED');
    run.end('a[1]');
    expect(keys(await run.interpret())).toEqual(['undo:a[1]']);
    run.end('undo:a[1]');
    expect(keys(await run.interpret())).toEqual(['undo:a[0]']);
    run.end('undo:a[0]');
    expect(await run.interpret()).toMatchObject({ ended: true, ending: 'CANCELLED' });
    expect(run.states).toContain('each CANCELLED');
  });

  it('goes on with the other items where a for-each may fail', async () => {
    const run = new Run(
      { id: 'each', type: 'forEach', items: '[1, 2]', onError: 'continue', steps: [command('a'), command('b')] },
      command('after'),
    );
    await run.interpret();
    run.end('a[0]', failed);
    expect(keys(await run.interpret())).toEqual(['a[1]']);
    run.end('a[1]');
    await run.interpret();
    run.end('b[1]');
    expect(keys(await run.interpret())).toEqual(['after']);
  });

  it('fails where an expression cannot be evaluated, and says which', async () => {
    const run = new Run({ id: 'c', type: 'condition', assert: 'input.nothing.at == 1' });
    expect(await run.interpret()).toMatchObject({
      ended: true,
      error: { code: 'VALIDATION_ERROR', data: { fieldErrors: { 'c.assert': expect.any(String) } } },
    });
  });
});

describe('the retry of a failed run', () => {
  it('begins again what failed and what was undone, and leaves what stands', async () => {
    const run = new Run(command('kept'), command('undone', undo), {
      ...{ id: 'each', type: 'forEach', items: '[1, 2]' },
      steps: [command('in')],
    });
    for (const key of ['kept', 'undone', 'in[0]']) {
      await run.interpret();
      run.end(key);
    }
    await run.interpret();
    run.end('in[1]', failed);
    await run.interpret();
    run.end('undo:undone');
    expect((await run.interpret()).ended).toBe(true);

    const { changes, deleted } = planRetry(run.definition, run.rows);

    expect(deleted).toEqual(['undo:undone']);
    expect(changes.map(({ key, status, round }) => `${key} ${status} ${round}`)).toEqual([
      ...['undone PENDING 1', 'each RUNNING 0', 'in[1] PENDING 0'],
    ]);
  });
});

describe('the delay before an attempt', () => {
  it('grows up to its limit, and there is none after the last one', () => {
    const retry = { maxAttempts: 5, initialSeconds: 1, factor: 3, maxSeconds: 5 };
    expect([1, 2, 3, 4, 5].map((attempt) => retryDelayMs(retry, attempt))).toEqual([1_000, 3_000, 5_000, 5_000, null]);
    expect(retryDelayMs(undefined, 1)).toBeNull();
  });
});
