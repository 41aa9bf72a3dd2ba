import type { CommandStarter, StartedExecution } from '../../src/features/commands/starting/command-starter.ts';
import type { ExecutionNotifier } from '../../src/features/commands/executions/execution-notifier.ts';
import type { NewExecution } from '../../src/features/commands/executions/execution-store.ts';
import { CommandLane } from '../../src/features/commands/starting/command-lane.ts';
import { type ApplicationError, unavailable } from '../../src/foundation/errors/application-error.ts';
import { Metrics } from '../../src/foundation/metrics/metrics.ts';

const MAX = 64;
const QUEUE_MAX = 1_024;

/** A lane over a Temporal that answers each start when the test says so. */
class World {
  readonly starts: { readonly groupPid: string | null; readonly pids: string[] }[] = [];
  #answers: PromiseWithResolvers<boolean>[] = [];
  readonly #ends = new Map<string, () => void>();
  isOnlySlow = false;
  readonly lane: CommandLane;

  constructor(max = MAX) {
    const started = (groupPid: string | null, executions: readonly StartedExecution[]): Promise<boolean> => {
      this.starts.push({ groupPid, pids: executions.map(({ pid }) => pid) });
      const answer = Promise.withResolvers<boolean>();
      this.#answers.push(answer);
      return answer.promise;
    };
    const starter = {
      start: (execution: StartedExecution) => started(null, [execution]),
      startGroup: started,
    };
    const notifier = {
      wait: (pid: string) => new Promise<void>((resolve) => this.#ends.set(pid, resolve)),
    };
    this.lane = new CommandLane({
      starter: starter as unknown as CommandStarter,
      notifier: notifier as unknown as ExecutionNotifier,
      config: { commandGroupMax: max, commandQueueMax: QUEUE_MAX },
      canRepeat: async () => this.isOnlySlow,
      metrics: new Metrics(),
    });
  }

  start(pid: string, tenantId = 'a'): Promise<string> {
    const what = { commandCode: 'crm:create_lead', operation: 'CREATE' as const };
    const execution = { pid, tenantId, environment: 'dev', traceId: 't', ...what };
    return this.lane.start(execution as NewExecution, 'grouped').then(
      () => 'started',
      ({ code, data }: ApplicationError) => (data?.reason === 'BUSY' ? `${code} BUSY` : code),
    );
  }

  /** Answers the oldest start, and lets the lane go on. */
  async answer(error?: Error): Promise<void> {
    const answer = this.#answers.shift();
    if (error) answer?.reject(error);
    else answer?.resolve(true);
    await new Promise(setImmediate);
  }

  /** Answers the oldest start, whose commands then end. */
  async finish(error?: Error): Promise<void> {
    const { pids } = this.starts[this.starts.length - this.#answers.length] ?? { pids: [] };
    await this.answer(error);
    await this.end(...pids);
  }

  async end(...pids: string[]): Promise<void> {
    for (const pid of pids) this.#ends.get(pid)?.();
    await new Promise(setImmediate);
  }
}

const numbered = (count: number, prefix = 'x'): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('the start of commands', () => {
  it('is immediate and alone on an idle node; what arrives meanwhile starts together', async () => {
    const world = new World();
    const all = ['one', 'two', 'three'].map((pid) => world.start(pid));
    expect(world.starts).toEqual([{ groupPid: null, pids: ['one'] }]);

    await world.answer();
    expect(world.starts[1]).toEqual({ groupPid: expect.any(String), pids: ['two', 'three'] });
    await world.answer();

    expect(await Promise.all(all)).toEqual(['started', 'started', 'started']);
  });

  it('takes COMMAND_GROUP_MAX at most, and starts each alone with 1', async () => {
    const world = new World();
    numbered(100).forEach((pid) => void world.start(pid));
    await world.finish();
    expect(world.starts[1]?.pids).toHaveLength(MAX);

    const ungrouped = new World(1);
    numbered(3).forEach((pid) => void ungrouped.start(pid));
    expect(ungrouped.starts.map(({ groupPid }) => groupPid)).toEqual([null, null, null]);
  });

  it('waits while more than a group is unfinished, so that tenants go on taking turns', async () => {
    const world = new World();
    numbered(200).forEach((pid) => void world.start(pid));
    await world.answer();
    await world.answer();
    expect(world.starts).toHaveLength(2);
    void world.start('late', 'b');

    await world.end('x0');

    expect(world.starts[2]?.pids).toContain('late');
    expect(world.starts[2]?.pids).toHaveLength(17);
  });

  it('is refused with SERVICE_UNAVAILABLE above the bound', async () => {
    const world = new World();
    numbered(QUEUE_MAX + 1).forEach((pid) => void world.start(pid));

    expect(await world.start('too many')).toBe('SERVICE_UNAVAILABLE BUSY');
    expect(world.starts).toHaveLength(1);
  });

  it('is refused to the tenant with most, not to one that has little', async () => {
    const world = new World();
    const flood = numbered(QUEUE_MAX + 1).map((pid) => world.start(pid));
    void world.start('other', 'b');

    expect(await flood.at(-1)).toBe('SERVICE_UNAVAILABLE BUSY');
    await world.finish();
    expect(world.starts[1]?.pids).toContain('other');
  });

  it('is repeated under the same id when Temporal was only slow', async () => {
    const world = new World();
    void world.start('first');
    const two = [world.start('a'), world.start('b')];
    await world.finish();
    world.isOnlySlow = true;
    await world.finish(unavailable('temporal', new Error('late')));
    await world.finish();

    expect(await Promise.all(two)).toEqual(['started', 'started']);
    expect(world.starts[2]).toEqual(world.starts[1]);
  });

  it('fails for all of a group when Temporal is away, and those behind have their own try', async () => {
    const world = new World();
    void world.start('first');
    const two = [world.start('a'), world.start('b')];
    await world.finish();
    const behind = world.start('c');
    await world.finish(unavailable('temporal', new Error('away')));
    await world.finish();

    expect(await Promise.all(two)).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);
    expect(await behind).toBe('started');
  });

  it('does not wait for anything when the process ends', async () => {
    const world = new World();
    const all = numbered(200).map((pid) => world.start(pid));
    const closed = world.lane.close();
    for (let start = 0; start < 6; start += 1) await world.answer(start > 2 ? unavailable('temporal') : undefined);
    await closed;

    const outcomes = await Promise.all(all);
    expect(outcomes.filter((outcome) => outcome === 'started')).toHaveLength(1 + 2 * MAX);
    expect(outcomes.filter((outcome) => outcome === 'SERVICE_UNAVAILABLE')).toHaveLength(199 - 2 * MAX);
  });
});
