import pLimit from 'p-limit';
import { runSql } from '../support/platform.ts';
import { ulid } from 'ulid';
import type { CommandStarter } from '../../src/features/commands/starting/command-starter.ts';
import { CommandWorker } from '../../src/features/commands/running/command-worker.ts';
import {
  insertExecutions,
  withdraw,
  type NewExecution,
} from '../../src/features/commands/executions/execution-store.ts';
import { RepeatedStarts } from '../../src/foundation/jobs/repeated-starts.ts';
import { execute, expectRefusal } from '../support/api.ts';
import { historyText, workflowOf } from '../support/command-workflows.ts';
import { executionRow, holdRecord, publishProbe, rowsOf, until } from '../support/faults.ts';
import { startNodeAlone } from '../support/own-node.ts';
import { redisTrips } from '../support/round-trips.ts';
import { newExecution } from '../support/executions.ts';
import { container, signedInForEach } from '../support/world.ts';

beforeAll(publishProbe);
const { tenant, user } = signedInForEach('ADMIN');

/** An accepted execution that nobody has started. */
async function accept(payload: object, rest: Partial<NewExecution> = {}): Promise<string> {
  const { database } = await container();
  const execution = await newExecution(tenant, user, { payload: { ...payload }, ...rest });
  expect(await insertExecutions(database, [execution])).toEqual([true]);
  accepted.set(execution.pid, execution);
  return execution.pid;
}

/** What executions were accepted with. */
const accepted = new Map<string, NewExecution>();

const run = async (pid: string): Promise<void> => (await container()).commandRunner.run(pid);
/** As the process does that has accepted it. */
const runAtOnce = async (pid: string): Promise<void> =>
  (await container()).commandRunner.run(pid, { accepted: accepted.get(pid) as NewExecution });
const ways = [
  ['read from its row', run],
  ['run at once by the process that accepted it', runAtOnce],
] as const;
const names = async (): Promise<string[]> =>
  (await rowsOf(tenant.id, 'select name from dev.mt_probe order by id')).map(({ name }) => name);
const eventCount = async (): Promise<number> => {
  const { database } = await container();
  const rows = await database.query('select 1 from platform.event where tenant_id = $1', [tenant.id]);
  return rows.length;
};

describe.each(ways)('an accepted command, %s,', (_way, run) => {
  it('is applied once, however often it is run', async () => {
    const pid = await accept({ name: 'once' });

    await run(pid);
    const first = await executionRow(pid);
    await run(pid);

    expect(first).toMatchObject({ status: 'SUCCEEDED', result: { name: 'once', version: 1 } });
    expect(await executionRow(pid)).toEqual(first);
    expect(await names()).toEqual(['once']);
    expect(await eventCount()).toBe(1);
  });

  it('is applied once when two workers run it at the same time', async () => {
    const pid = await accept({ name: 'once' });

    await Promise.all(Array.from({ length: 5 }, () => run(pid)));

    expect(await names()).toEqual(['once']);
    expect(await eventCount()).toBe(1);
  });

  it('is not applied when it was cancelled before', async () => {
    const pid = await accept({ name: 'never' });
    const { database } = await container();
    await database.query(`update platform.command_execution set status = 'CANCELLED' where pid = $1`, [pid]);

    await expect(run(pid)).rejects.toMatchObject({ code: 'CONFLICT', data: { reason: 'CANCELLED' } });
    expect(await names()).toEqual([]);
  });

  it('fails for good with its code, and frees its key', async () => {
    const pid = await accept({ name: 'A', parent: ulid() });

    await expect(run(pid)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const failed = await executionRow(pid);
    expect(failed).toMatchObject({
      status: 'FAILED',
      idempotencyKey: null,
      result: null,
      error: {
        code: 'VALIDATION_ERROR',
        data: { fieldErrors: { parent: { template: 'is not a record of {model}', values: { model: 'probe' } } } },
      },
    });

    await expect(run(pid)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await executionRow(pid)).toEqual(failed);
  });

  it('stays ended when its command has left the configuration', async () => {
    const pid = await accept({ name: 'once' });
    await run(pid);
    const { database } = await container();
    await database.query(`update platform.command_execution set command_code = 'probe:gone' where pid = $1`, [pid]);

    await expect(run(pid)).resolves.toBeUndefined();
    expect(await executionRow(pid)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('changes nothing when its row is gone', async () => {
    const pid = await accept({ name: 'never' });
    await runSql('delete from platform.command_execution where pid = $1', [pid]);

    await expect(run(pid)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await names()).toEqual([]);
    expect(await eventCount()).toBe(0);
  });

  it('waits for the worker that is at it, and does nothing when that one has ended it', async () => {
    const pid = await accept({ name: 'never' });
    const { database } = await container();
    const held = await holdRecord(tenant.id, 'platform.command_execution', pid);
    const ending = withdraw(database, pid, 'CANCELLED', null);
    await held.waiting();
    const running = run(pid).catch((error: unknown) => error);
    await held.waiting(2);
    await held.release();

    expect(await ending).toBe(true);
    expect(await running).toMatchObject({ code: 'CONFLICT', data: { reason: 'CANCELLED' } });
    expect(await names()).toEqual([]);
    expect(await eventCount()).toBe(0);
  });

  it('undoes the steps before the one that fails', async () => {
    const taken = ulid();
    await execute(user.token, 'probe:write', { payload: { name: 'holder', code: taken } });
    const payload = { first: 'one', second: taken, price: '1', data: null };
    const pid = await accept(payload, { commandCode: 'probe:pair', operation: 'CUSTOM' });

    await expect(run(pid)).rejects.toMatchObject({ code: 'CONFLICT', data: { reason: 'UNIQUE' } });
    expect(await names()).toEqual(['holder']);
  });
});

/** Setup: what a worker that died has left is its count; the transaction has been rolled back. */
describe('a command whose workers die', () => {
  const dieAfterStart = async (pid: string): Promise<void> => {
    const { store } = await container();
    await new RepeatedStarts(store, 'command').count([pid]);
  };
  const acceptLongAgo = async (name: string): Promise<string> => {
    const pid = await accept({ name });
    const { database } = await container();
    await database.query(
      `update platform.command_execution set created_at = now() - interval '1 minute' where pid = $1`,
      [pid],
    );
    return pid;
  };

  it('is put aside as failed when it was begun three times without an end', async () => {
    const pid = await acceptLongAgo('poison');
    await dieAfterStart(pid);
    await dieAfterStart(pid);

    await expect(run(pid)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });

    expect(await executionRow(pid)).toMatchObject({
      status: 'FAILED',
      idempotencyKey: null,
      error: {
        code: 'INTERNAL_ERROR',
        message: { template: 'It was begun {count} times without an end', values: { count: 3 } },
      },
    });
    expect(await names()).toEqual([]);
  });

  it('is applied by the worker that survives', async () => {
    const pid = await acceptLongAgo('unlucky');
    await dieAfterStart(pid);

    await run(pid);

    expect(await executionRow(pid)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await names()).toEqual(['unlucky']);
  });
});

describe('a group of commands', () => {
  const runGroup = async (executionPids: string[], isRepeated = false) => {
    const { database, commandRunner: runner, store } = await container();
    const [groupPid, starts, starter] = [ulid(), new RepeatedStarts(store, 'command'), {} as CommandStarter];
    const connections = pLimit(16);
    const worker = new CommandWorker({
      database,
      runner,
      starter,
      starts,
      begun: null,
      connections,
      connectionsOfLong: connections,
    });
    return { groupPid, ...(await worker.runGroup({ groupPid, executionPids, isRepeated })) };
  };

  it('lets each end in its own way: one that fails, or is put off, changes nothing else', async () => {
    const { database } = await container();
    const cancelled = await accept({ name: 'cancelled' });
    await withdraw(database, cancelled, 'CANCELLED', null);
    const good = await Promise.all(['one', 'two'].map((name) => accept({ name })));
    const bad = await accept({ name: 'A', parent: ulid() });
    const { pid: heldPid } = (await execute(user.token, 'probe:write', { payload: { name: 'held' } })).body.data;
    const waiting = await accept({ name: 'late' }, { operation: 'UPDATE', targetRecordId: heldPid });
    const held = await holdRecord(tenant.id, 'dev.mt_probe', heldPid);

    const { groupPid, again } = await runGroup([waiting, bad, cancelled, ...good]);

    await held.release();
    expect(again).toEqual([waiting]);
    expect(await executionRow(waiting)).toMatchObject({ status: 'RECEIVED', groupPid: null });
    expect(await executionRow(bad)).toMatchObject({ status: 'FAILED', groupPid, idempotencyKey: null });
    expect(await executionRow(cancelled)).toMatchObject({ status: 'CANCELLED' });
    for (const pid of good) expect(await executionRow(pid)).toMatchObject({ status: 'SUCCEEDED', groupPid });
    expect((await names()).sort()).toEqual(['held', 'one', 'two']);
  });

  it('is taken up where a dead worker left it', async () => {
    const pids = await Promise.all(['one', 'two', 'three'].map((name) => accept({ name })));
    const first = await runGroup(pids.slice(0, 1));

    expect(await runGroup(pids, true)).toMatchObject({ again: [] });

    expect(await executionRow(pids[0] ?? '')).toMatchObject({ status: 'SUCCEEDED', groupPid: first.groupPid });
    expect((await names()).sort()).toEqual(['one', 'three', 'two']);
    expect(await eventCount()).toBe(3);
  });

  it('puts aside the command that ends its workers, and no other', async () => {
    const [innocent = '', poison = ''] = await Promise.all(['innocent', 'poison'].map((name) => accept({ name })));
    const { store } = await container();
    const starts = new RepeatedStarts(store, 'command');
    await starts.count([innocent, poison]);
    await starts.count([poison]);

    await runGroup([innocent, poison], true);

    expect(await executionRow(innocent)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await executionRow(poison)).toMatchObject({ status: 'FAILED', error: { code: 'INTERNAL_ERROR' } });
    expect(await starts.hasRepeated([innocent, poison])).toBe(false);
  });
});

/**
 * Setup: a trigger lets the database raise the SQLSTATE that a record's name asks for, after the record was
 * inserted.
 */
describe.each(ways)('a command, %s, that meets a fault of the database', (_way, run) => {
  const FUNCTION = `platform.faults_${ulid().toLowerCase()}`;

  beforeAll(async () => {
    await runSql(`create function ${FUNCTION}() returns trigger language plpgsql as $$ begin
      raise exception 'refused %', new.name using errcode = substr(new.name, 7, 5); end $$`);
    await runSql(`create trigger raise_faults after insert on dev.mt_probe for each row
      when (new.name like 'raise %') execute function ${FUNCTION}()`);
  });
  afterAll(async () => {
    await runSql(`drop function if exists ${FUNCTION} cascade`);
  });

  it.each([
    ['a serialization failure', '40001'],
    ['a deadlock', '40P01'],
    ['a lock that was not to be had', '55P03'],
    ['a statement that took too long', '57014'],
    ['a server that shuts down', '57P01'],
    ['a transaction that stood still and was closed', '25P03'],
    ['a server that is read-only since a failover', '25006'],
  ])('stays accepted, with its key, after %s: the same attempt may succeed later', async (_what, state) => {
    const pid = await accept({ name: `raise ${state}` });

    await expect(run(pid)).rejects.toThrow();

    const { status, idempotencyKey: key, error } = await executionRow(pid);
    expect({ status, error }).toEqual({ status: 'RECEIVED', error: null });
    expect(key).not.toBeNull();
    expect(await names()).toEqual([]);
    const { database } = await container();
    // Faults that the worker survives are no starts without an end.
    await database.query(
      `update platform.command_execution set created_at = now() - interval '1 minute' where pid = $1`,
      [pid],
    );
    for (let again = 0; again < 4; again += 1) await expect(run(pid)).rejects.toThrow();
    // A sweeper may have given it a workflow meanwhile.
    const later = await executionRow(pid);
    expect(later).toMatchObject({ status: expect.stringMatching(/^(RECEIVED|RUNNING)$/), error: null });
    await database.query(`update platform.command_execution set status = 'CANCELLED' where pid = $1`, [pid]);
  });

  it('fails with INTERNAL_ERROR after a fault that nobody foresaw', async () => {
    const pid = await accept({ name: 'raise P0001' }, { traceId: 't' });

    await expect(run(pid)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(await executionRow(pid)).toMatchObject({
      status: 'FAILED',
      error: { code: 'INTERNAL_ERROR', data: { traceId: 't' } },
    });
    expect(await names()).toEqual([]);
  });

  it('ends the workflow at once, which says nothing of the reason', async () => {
    const { url: baseUrl } = await startNodeAlone();
    const failed = await execute(user.token, 'probe:write', { payload: { name: 'raise P0001' } }, { baseUrl });
    expectRefusal(failed, 'INTERNAL_ERROR', { traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });

    const { database } = await container();
    const [row] = await database.query<{ pid: string }>(
      'select pid from platform.command_execution where tenant_id = $1',
      [tenant.id],
    );
    const handle = await workflowOf(row?.pid ?? '');
    await until('the workflow fails', async () => (await handle.describe()).status.name === 'FAILED');
    const text = await historyText(row?.pid ?? '');
    expect(text).toContain('INTERNAL_ERROR');
    expect(text).not.toContain('refused');
  });
});

describe('an expression of a command', () => {
  it('fills a date field from the time of the command, and reads a decimal as the string it is', async () => {
    const { body } = await execute(user.token, 'probe:pair', {
      payload: { first: 'one', price: 1.5, data: { a: [1] } },
    });

    const today = new Date().toISOString().slice(0, 10);
    expect(body.data.one).toMatchObject({ name: 'one', price: '1.5', data: { a: [1] } });
    expect([today, body.data.one.created_at.slice(0, 10)]).toContain(body.data.one.on_day);
    expect(body.data.two).toMatchObject({ parent: body.data.one.pid });
  });
});

describe('the round trips of a command', () => {
  it('are 2 to apply it: one transaction of lock, write, finish; one to Redis that stamps totals and calls', async () => {
    const { database, store } = await container();
    const pid = await accept({ name: 'once' });
    const before = { statements: database.statements, redis: redisTrips(store) };

    await run(pid);

    // begin and lock travel together; insert; finish (row, change log and event in one); commit.
    expect(database.statements - before.statements).toBe(5);
    expect(redisTrips(store) - before.redis).toBe(1);
  });
});
