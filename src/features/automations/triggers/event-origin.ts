import { columnList } from '../../../foundation/database/columns.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import { callersOf } from '../../commands/executions/execution-store.ts';
import type { RunRow } from '../runs/rows/run-store.ts';

const CAUSE = ['pid', 'userId', 'userPid', 'username', 'keyMadeBy', 'roles', 'depth'] as const;
type Cause = Pick<RunRow, (typeof CAUSE)[number]>;

/** Who has caused an event: the user whose command it was, and the run, if it was one's doing. */
export interface EventOrigin extends Omit<Cause, 'pid' | 'depth'> {
  readonly runPid: string | null;
  readonly depth: number | null;
}

/** The origins of events, by event pid; those that neither a command nor a run has made have none. */
export async function originsOf(runner: SqlRunner, events: readonly OutboxEvent[]): Promise<Map<string, EventOrigin>> {
  const executionPids = events.flatMap(({ executionPid }) => executionPid ?? []);
  const eventPids = events.map(({ pid }) => pid);
  const [callers, senders] = await Promise.all([callersOf(runner, executionPids), runsThatSent(runner, eventPids)]);
  const causes = new Map(senders.map(({ eventPid, ...run }) => [eventPid, run]));
  const runs = await runsOf(
    runner,
    [...callers.values()].flatMap(({ runPid }) => runPid ?? []),
  );
  const origins = new Map<string, EventOrigin>();
  for (const { pid, executionPid } of events) {
    const caller = callers.get(executionPid ?? '');
    const run = causes.get(pid) ?? runs.get(caller?.runPid ?? '');
    const user = caller ?? run;
    if (!user) continue;
    const { userId, userPid, username, keyMadeBy, roles } = user;
    const { pid: runPid = null, depth = null } = run ?? {};
    origins.set(pid, { userId, userPid, username, keyMadeBy, roles, runPid, depth });
  }
  return origins;
}

function runsThatSent(runner: SqlRunner, eventPids: readonly string[]): Promise<(Cause & { eventPid: string })[]> {
  return runner.query(
    `select s.event_pid, ${columnList(CAUSE, 'r')} from platform.automation_step s
     join platform.automation_run r on r.pid = s.run_pid where s.event_pid = any($1)`,
    [eventPids],
  );
}

async function runsOf(runner: SqlRunner, pids: readonly string[]): Promise<ReadonlyMap<string, Cause>> {
  if (pids.length === 0) return new Map();
  const text = `select ${columnList(CAUSE)} from platform.automation_run where pid = any($1)`;
  return new Map((await runner.query<Cause>(text, [pids])).map((run) => [run.pid, run]));
}
