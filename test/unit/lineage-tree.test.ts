import { lineageTree, type TraceParts } from '../../src/features/lineage/lineage-tree.ts';

type Parts = TraceParts<{ pid: string }, string>;

const NONE: Parts = { executions: [], changes: [], events: [], deliveries: [], runs: [] };
const execution = (pid: string, runPid: string | null = null) => ({ pid, runPid, view: { pid } });
const event = (pid: string, executionPid: string | null) => ({ pid, eventType: 'x', executionPid });
const run = (runPid: string, eventPid: string | null, ...sentEventPids: string[]) => ({
  runPid,
  eventPid,
  sentEventPids,
  automationCode: 'a',
  status: 'SUCCEEDED',
  createdAt: '2026-01-01T00:00:00.000Z',
  finishedAt: null,
});

describe('the tree of a trace', () => {
  it('puts events under their commands, runs under their events, and commands under their runs', () => {
    const tree = lineageTree({
      ...NONE,
      executions: [execution('one'), execution('two', 'run')],
      changes: [{ executionPid: 'two', view: 'change' }],
      events: [event('created', 'one'), event('sent', null)],
      runs: [run('run', 'created', 'sent')],
    });

    expect(tree).toMatchObject({ events: [], runs: [] });
    expect(tree.executions).toMatchObject([
      {
        pid: 'one',
        changes: [],
        events: [
          {
            pid: 'created',
            runs: [
              {
                runPid: 'run',
                executions: [{ pid: 'two', changes: ['change'], events: [] }],
                events: [{ pid: 'sent', runs: [] }],
              },
            ],
          },
        ],
      },
    ]);
  });

  it('shows at its top what has a parent that is not shown', () => {
    const tree = lineageTree({
      ...NONE,
      executions: [execution('two', 'hidden')],
      events: [event('of nothing', 'hidden')],
      runs: [run('manual', null), run('of hidden', 'hidden')],
    });

    expect(tree.executions).toMatchObject([{ pid: 'two' }]);
    expect(tree.events).toMatchObject([{ pid: 'of nothing' }]);
    expect(tree.runs.map(({ runPid }) => runPid)).toEqual(['manual', 'of hidden']);
  });
});
