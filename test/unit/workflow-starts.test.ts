import pino from 'pino';
import type { CommandStarter, StartedExecution } from '../../src/features/commands/starting/command-starter.ts';
import { WorkflowStarts } from '../../src/features/commands/starting/workflow-starts.ts';
import { STARTS } from '../../src/features/commands/commands.limits.ts';
import { unavailable } from '../../src/foundation/errors/application-error.ts';
import { Metrics } from '../../src/foundation/metrics/metrics.ts';
import { until } from '../support/faults.ts';

const MAX = 3;

/** Starts over a Temporal that is away for as long as the test says. */
class World {
  readonly started: { readonly groupPid: string | null; readonly pids: string[] }[] = [];
  isAway = false;
  readonly starts: WorkflowStarts;

  constructor(max = MAX) {
    const start = async (groupPid: string | null, executions: readonly StartedExecution[]): Promise<boolean> => {
      if (this.isAway) throw unavailable('temporal');
      this.started.push({ groupPid, pids: executions.map(({ pid }) => pid) });
      return true;
    };
    const starter = { start: (one: StartedExecution) => start(null, [one]), startGroup: start };
    const logger = pino({ level: 'silent' });
    this.starts = new WorkflowStarts(starter as unknown as CommandStarter, max, new Metrics(), logger);
  }

  add(pid: string, mode: 'grouped' | 'workflow' = 'grouped'): string | null {
    const what = { tenantId: 'a', environment: 'dev', traceId: 't', commandCode: 'c', operation: 'CREATE' as const };
    return this.starts.add({ pid, ...what }, mode);
  }

  seen(count: number): Promise<unknown> {
    return until('the workflows start', () => this.started.flatMap(({ pids }) => pids).length === count);
  }
}

describe('the workflows of commands that are under way', () => {
  it('start alone on an idle node, and together for what comes soon afterwards', async () => {
    const world = new World();

    const groups = ['one', 'two', 'three'].map((pid) => world.add(pid));

    await world.seen(3);
    expect(groups).toEqual([null, expect.any(String), groups[1]]);
    expect(world.started).toEqual([
      { groupPid: null, pids: ['one'] },
      { groupPid: groups[1], pids: ['two', 'three'] },
    ]);
  });

  it('have COMMAND_GROUP_MAX commands at most', async () => {
    const world = new World();

    const groups = Array.from({ length: 8 }, (_, index) => world.add(`${index}`));

    await world.seen(8);
    expect(world.started.map(({ pids }) => pids.length)).toEqual([1, MAX, MAX, 1]);
    expect(new Set(groups).size).toBe(4);
  });

  it('are their own for commands that say so, and with COMMAND_GROUP_MAX=1', async () => {
    const [world, ungrouped] = [new World(), new World(1)];

    const groups = [world.add('one', 'workflow'), world.add('two', 'workflow'), ungrouped.add('a'), ungrouped.add('b')];

    await Promise.all([world.seen(2), ungrouped.seen(2)]);
    expect(groups).toEqual([null, null, null, null]);
  });

  it('start when Temporal is back, in the groups that their commands have named', async () => {
    const world = new World();
    world.isAway = true;
    const groups = ['one', 'two', 'three'].map((pid) => world.add(pid));
    expect(world.started).toEqual([]);

    world.isAway = false;

    await world.seen(3);
    expect(world.started[1]).toEqual({ groupPid: groups[1], pids: ['two', 'three'] });
  });

  it('have no room for more when too many wait, and have it again afterwards', async () => {
    const world = new World();
    world.isAway = true;
    for (let index = 0; index < STARTS.maxWaiting; index += 1) world.add(`${index}`);
    expect(world.starts.hasRoom).toBe(false);

    world.isAway = false;

    await until('there is room', () => world.starts.hasRoom);
    await world.starts.close();
    expect(world.started.flatMap(({ pids }) => pids)).toHaveLength(STARTS.maxWaiting);
  });

  it('are given up when the process ends while Temporal is away', async () => {
    const world = new World();
    world.isAway = true;
    ['one', 'two'].forEach((pid) => world.add(pid));

    await world.starts.close();

    expect(world.started).toEqual([]);
  });
});
