import { Definition } from '../../src/features/automations/definition/definition.ts';
import { RunContext } from '../../src/features/automations/runs/values/run-context.ts';
import { RunValueOrigins } from '../../src/features/automations/runs/values/run-value-origins.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { resourceTypes } from '../support/resource-types.ts';
import { RunInterpreter, type RunProgress } from '../../src/features/automations/runs/advance/run-interpreter.ts';
import { retryDelayMs } from '../../src/features/automations/runs/advance/run-step.ts';
import type { StepRow } from '../../src/features/automations/runs/rows/step-store.ts';
import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';

/** A run in memory: interprets it, and ends steps as their activities would. */
class Run {
  readonly definition: Definition;
  rows: StepRow[] = [];
  outputs = new Map<string, unknown>();
  now = Date.parse('2026-01-01T00:00:00Z');
  progress: Pick<RunProgress, 'ending' | 'error' | 'items' | 'retries'> = {
    ending: null,
    error: null,
    items: 0,
    retries: 0,
  };
  /** Rows that the last advance was given, and that it wrote. */
  cost = { read: 0, written: 0 };

  constructor(...steps: AnyStep[]) {
    this.definition = new Definition('t', { name: 'T', trigger: { type: 'manual' }, steps });
  }

  async interpret(): Promise<RunInterpreter> {
    const facts = {
      pid: 'R',
      automationCode: 't',
      input: { n: 2, list: Array.from({ length: 1_000 }, () => 0) },
      event: null,
      userPid: 'U',
      username: 'u',
      tenantId: '1',
      createdAt: '2026-01-01T00:00:00.000Z',
    };
    const load = async (keys: readonly string[]) =>
      new Map(keys.filter((key) => this.outputs.has(key)).map((key) => [key, this.outputs.get(key)]));
    const origins = new RunValueOrigins(this.definition, true, null, new Snapshot('dev', 1, [], resourceTypes));
    const context = new RunContext(this.definition, facts, load, origins);
    // The rows that `openSteps` reads.
    const open = this.rows.filter(({ settled, finishedAt }) => !settled || finishedAt === null);
    const undoable = this.rows.filter((row) => row.undoable);
    const interpreter = new RunInterpreter(this.definition, context, open, {
      ...this.progress,
      now: new Date(this.now),
      findMember: (named) => Promise.resolve(named),
      stored: {
        byKeys: (wanted) => Promise.resolve(this.rows.filter(({ key }) => wanted.includes(key))),
        nextUndoable: () =>
          Promise.resolve(
            undoable.sort((a, b) => (a.finishedAt ?? '').localeCompare(b.finishedAt ?? '')).at(-1) ?? null,
          ),
      },
    });
    await interpreter.interpret();
    const { changes, marks } = interpreter;
    for (const [key, { output, ...row }] of changes) {
      this.#put(row);
      if (output !== undefined) this.outputs.set(key, output);
    }
    for (const [key, mark] of marks) this.#put({ ...this.#row(key), ...mark });
    this.cost = { read: open.length, written: changes.size + marks.size };
    const { ending, error, items } = interpreter;
    this.progress = { ...this.progress, ending, error, items };
    return interpreter;
  }

  #row(key: string): StepRow {
    const found = this.rows.find((row) => row.key === key);
    if (!found) throw new Error(`there is no row ${key}`);
    return found;
  }

  #put(row: StepRow): void {
    const at = this.rows.findIndex((known) => known.key === row.key);
    this.rows.splice(at < 0 ? this.rows.length : at, at < 0 ? 0 : 1, row);
  }

  end(key: string, change: Partial<StepRow> = {}, output: unknown = null): void {
    this.now += 1_000;
    const finishedAt = new Date(this.now).toISOString();
    const row = this.#row(key);
    const ended: StepRow = { ...row, status: 'SUCCEEDED', finishedAt, ...change };
    const compensation = row.type === 'compensation' ? null : this.definition.compensationOf(row.stepId);
    this.#put({ ...ended, undoable: ended.status === 'SUCCEEDED' && compensation !== null });
    this.outputs.set(key, output);
  }

  get states(): string[] {
    return this.rows.map(({ key, status }) => `${key} ${status}`);
  }
}

const command = (id: string, more: object = {}): AnyStep => ({ id, type: 'command', commandCode: 'a:b', ...more });
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
      id: 'each',
      type: 'forEach',
      items: '["x", "y", "z"]',
      concurrency: 2,
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
      id: 'each',
      type: 'forEach',
      items: '[1, 2]',
      concurrency: 2,
      steps: [command('a', undo), { id: 'ask', type: 'approval', role: 'X' }],
    });
    await run.interpret();
    run.end('a[0]');
    await run.interpret();
    run.progress = { ...run.progress, ending: 'CANCELLED', error };
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
    const run = new Run({ id: 'c', type: 'condition', assert: 'input.nothing.at + 1 == 1' });
    expect(await run.interpret()).toMatchObject({
      ended: true,
      error: { code: 'VALIDATION_ERROR', data: { fieldErrors: { 'c.assert': expect.any(String) } } },
    });
  });
});

describe('a for-each of many items', () => {
  const many = (...steps: AnyStep[]): AnyStep[] => [
    { id: 'list', type: 'query', modelCode: 'lead' },
    { id: 'each', type: 'forEach', items: 'steps.list', concurrency: 4, steps },
  ];

  async function started(count: number, ...steps: AnyStep[]): Promise<Run> {
    const run = new Run(...many(...steps));
    await run.interpret();
    run.end(
      'list',
      {},
      Array.from({ length: count }, (_, index) => index),
    );
    return run;
  }

  /** Ends all attempts of a run one after the other. @returns the dearest advance after the first item */
  async function walk(run: Run): Promise<{ read: number; written: number; advances: number }> {
    const most = { read: 0, written: 0, advances: 0 };
    for (;;) {
      const { ended, calls } = await run.interpret();
      most.advances += 1;
      most.read = Math.max(most.read, run.cost.read);
      most.written = Math.max(most.written, run.cost.written);
      if (ended) return most;
      const [call] = calls;
      if (call) run.end(call.key);
    }
  }

  it('costs each advance the same rows after 20 items and after 1,000', async () => {
    const few = await walk(await started(20, command('a'), command('b')));
    const run = await started(1_000, command('a'), command('b'));

    const all = await walk(run);

    expect(all).toEqual({ ...few, advances: 2_001 });
    expect(few.read).toBeLessThan(12);
    expect(run.states.filter((state) => state.endsWith('SUCCEEDED'))).toHaveLength(2_002);
  });

  it('undoes each item at the same cost', async () => {
    const run = await started(300, command('a', undo));
    for (let item = 0; item < 300; item += 1) {
      await run.interpret();
      run.end(`a[${item}]`);
    }
    run.progress = { ...run.progress, ending: 'CANCELLED', error };

    expect(await walk(run)).toMatchObject({ read: expect.any(Number), advances: 301 });

    expect(run.states.filter((state) => /^undo:a.* SUCCEEDED$/.test(state))).toHaveLength(300);
    expect(run.cost.read).toBeLessThan(12);
  });

  it('begins at most 500 items in one advance, and asks for the next one', async () => {
    const run = await started(1_200, { id: 'all', type: 'condition', assert: 'true' });
    const begun = [];
    for (;;) {
      const { ended, hasMoreItems } = await run.interpret();
      begun.push(run.rows.length - 2);
      expect(hasMoreItems).toBe(!ended);
      if (ended) break;
    }
    expect(begun).toEqual([500, 1_000, 1_200]);
  });

  it('has at most 100 items of nested loops under way, and comes to an end', async () => {
    const nested = (depth: number): AnyStep => ({
      id: `each${depth}`,
      type: 'forEach',
      items: '[1, 2, 3, 4, 5, 6, 7]',
      concurrency: 7,
      steps: [depth === 0 ? command('leaf') : nested(depth - 1)],
    });
    const run = new Run(nested(2));
    let most = 0;
    for (;;) {
      const { ended, calls } = await run.interpret();
      most = Math.max(most, calls.length);
      if (ended) break;
      for (const { key } of calls.slice(0, 5)) run.end(key);
    }
    expect(most).toBeGreaterThan(50);
    expect(most).toBeLessThanOrEqual(100);
    expect(run.rows.filter(({ stepId }) => stepId === 'leaf')).toHaveLength(343);
  });

  it('fails where nested loops would have more than 50,000 items', async () => {
    const thousand = 'input.list';
    const inner: AnyStep = { id: 'inner', type: 'forEach', items: thousand, steps: [wait] };
    const run = new Run({ id: 'outer', type: 'forEach', items: thousand, concurrency: 20, steps: [inner] });
    run.progress = { ...run.progress, items: 48_500 };

    expect(await run.interpret()).toMatchObject({
      ending: 'FAILED',
      error: { code: 'VALIDATION_ERROR', data: { step: 'inner[0]' } },
    });
  });
});

const wait: AnyStep = { id: 'w', type: 'wait', seconds: 60 };

describe('the delay before an attempt', () => {
  it('grows up to its limit, and there is none after the last one', () => {
    const retry = { maxAttempts: 5, initialSeconds: 1, factor: 3, maxSeconds: 5 };
    expect([1, 2, 3, 4, 5].map((attempt) => retryDelayMs(retry, attempt))).toEqual([1_000, 3_000, 5_000, 5_000, null]);
    expect(retryDelayMs(undefined, 1)).toBeNull();
  });
});
