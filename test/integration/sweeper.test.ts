import type { WorkflowHandle } from '@temporalio/client';
import { ulid } from 'ulid';
import { CommandStarter } from '../../src/features/commands/starting/command-starter.ts';
import { insertExecutions, type NewExecution } from '../../src/features/commands/executions/execution-store.ts';
import type { Database, SqlRunner } from '../../src/foundation/database/pool.ts';
import { StuckExecutionSweeper } from '../../src/features/commands/starting/stuck-execution-sweeper.ts';
import { OVERDUE } from '../../src/features/commands/commands.limits.ts';
import { NodePresence } from '../../src/features/commands/executions/node-presence.ts';
import { TemporalGateway } from '../../src/foundation/temporal/temporal-gateway.ts';
import { EXECUTE_COMMAND, commandWorkflowId } from '../../workflows/contracts.ts';
import { call, execute } from '../support/api.ts';
import { historyOf } from '../support/command-workflows.ts';
import { executionRow, rowsOf, temporal, until } from '../support/faults.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newExecution } from '../support/executions.ts';
import { container, signedInForEach } from '../support/world.ts';

/** A task queue that nobody works on: a workflow on it runs for ever. */
const NOBODY = `nobody-${ulid()}`;

/**
 * A program of the test's own: others' nodes have servers of Temporal's that know nothing of these workflows.
 */

/** A sweeper of the test's own, swept by hand, beside the one of that program. */
let sweeper: StuckExecutionSweeper;
let gateway: TemporalGateway;
let presence: NodePresence;

beforeAll(async () => {
  await startOwnNode('sweeper');
  const { database, config, logger, store, temporal: gatewayOfProgram } = await container();
  presence = new NodePresence(store);
  const { namespace } = config.temporal;
  const { taskQueue } = gatewayOfProgram;
  gateway = new TemporalGateway({ namespace, taskQueue, eager: false }, logger);
  await gateway.connect(async () => (await temporal()).connection);
  sweeper = new StuckExecutionSweeper(database, new CommandStarter(gateway), gateway, presence, logger);
});
const { tenant, user } = signedInForEach('ADMIN');
afterEach(async () => {
  const { database } = await container();
  await database.query(
    `update platform.command_execution set status = 'CANCELLED' where tenant_id = $1 and status in ('RECEIVED', 'RUNNING')`,
    [tenant.id],
  );
});

/** What a node leaves behind that dies right after it has accepted a command, `ageMs` ago. */
async function orphan(ageMs = 0, rest: Partial<NewExecution> = {}, runner?: SqlRunner): Promise<string> {
  const sql = runner ?? (await container()).database;
  const accepted = { commandCode: 'crm:create_lead', payload: { name: 'orphan' } };
  const execution = await newExecution(tenant, user, { ...accepted, ...rest });
  expect(await insertExecutions(sql, [execution])).toEqual([true]);
  await sql.query(
    `update platform.command_execution set created_at = now() - $2 * interval '1 millisecond' where pid = $1`,
    [execution.pid, ageMs],
  );
  return execution.pid;
}

/**
 * An execution accepted `ageMs` ago whose workflow has started, where it cannot end. The workflow comes
 * first: the program's own sweeper would start one for an execution that has none yet.
 */
async function stranded(ageMs: number): Promise<{ pid: string; handle: WorkflowHandle }> {
  const pid = ulid();
  const { workflow } = await temporal();
  const handle = await workflow.start(EXECUTE_COMMAND, {
    workflowId: commandWorkflowId(pid),
    taskQueue: NOBODY,
    args: [{ executionPid: pid }],
  });
  await orphan(ageMs, { pid });
  return { pid, handle };
}

const sweep = (): Promise<void> => sweeper.sweep();
/** What the other sweeper has in hand at that moment, a sweep leaves out. */
const sweepUntil = (pid: string, status: string) =>
  until(`the execution is ${status}`, async () => {
    await sweep();
    return (await executionRow(pid)).status === status;
  });
const leads = async (): Promise<unknown[]> => rowsOf(tenant.id, 'select name from dev.mt_lead');

describe('an accepted execution whose workflow never started', () => {
  it('is started by itself, and its caller can read how it ended', async () => {
    const pid = await orphan();

    await until('the execution ends', async () => (await executionRow(pid)).status === 'SUCCEEDED');

    const { body } = await call(`/api/meta/commands/executions/${pid}`, { token: user.token });
    expect(body.data).toMatchObject({ status: 'SUCCEEDED', result: { name: 'orphan' } });
    expect(await leads()).toEqual([{ name: 'orphan' }]);
  });

  it('is started at once where the process that accepted it is dead', async () => {
    // A busy machine may be late once; without the rule no one is in time.
    await until('one is started before those of living processes are', async () => {
      const pid = await orphan(1_100, { nodePid: ulid() });
      await sweepUntil(pid, 'SUCCEEDED');
      const { createdAt, finishedAt } = await executionRow(pid);
      return Date.parse(finishedAt) - Date.parse(createdAt) < OVERDUE.startMs;
    });
  });

  it('is left alone for a while where that process lives', async () => {
    const { store } = await container();
    const other = new NodePresence(store);
    await other.renew();
    await orphan(1_100, { nodePid: other.nodePid });

    expect(await presence.deadAmong([other.nodePid, presence.nodePid])).toEqual([]);
    expect(await presence.deadAmong([other.nodePid, 'dead'])).toEqual(['dead']);
  });

  it('keeps its key meanwhile: a repeat waits for it and gets its result', async () => {
    await orphan(3_000, { idempotencyKey: 'k' });

    const repeat = await execute(user.token, 'crm:create_lead', { payload: { name: 'orphan' }, clientRequestId: 'k' });

    expect(repeat.body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', data: { name: 'orphan' } });
    expect(await leads()).toHaveLength(1);
  });

  it('is started once by however many sweepers', async () => {
    const pid = await orphan(10_000);

    await Promise.all([sweep(), sweep(), sweep()]);

    await until('the execution ends', async () => (await executionRow(pid)).status === 'SUCCEEDED');
    expect(await leads()).toHaveLength(1);
    const events = await historyOf(pid);
    expect(events.filter(({ workflowExecutionStartedEventAttributes: started }) => started)).toHaveLength(1);
  });

  it('is reached behind any number of older ones that are still running', async () => {
    await Promise.all(Array.from({ length: 110 }, () => stranded(30_000)));
    const pid = await orphan(4_000);

    await sweep();
    await sweep();

    await until('the execution ends', async () => (await executionRow(pid)).status === 'SUCCEEDED');
  });

  it('does not keep the others from their start when Temporal refuses it', async () => {
    const asked: string[] = [];
    class Refusing extends CommandStarter {
      override async start({ pid }: { pid: string }): Promise<boolean> {
        asked.push(pid);
        if (asked.length === 1) throw new Error('refused');
        return true;
      }
    }
    const { database, logger } = await container();
    let orphans: string[] = [];
    // In a transaction that never commits, out of sight of the other node's sweeper.
    const swept = database.transaction(async (transaction) => {
      orphans = [await orphan(20_000, {}, transaction), await orphan(10_000, {}, transaction)];
      await new StuckExecutionSweeper(
        transaction as unknown as Database,
        new Refusing(gateway),
        gateway,
        presence,
        logger,
      ).sweep();
      throw new Error('undo');
    });
    await expect(swept).rejects.toThrow('undo');

    expect(asked).toEqual(expect.arrayContaining(orphans));
  });
});

describe('an execution whose workflow has started', () => {
  it('is left alone while that runs, however long it takes', async () => {
    const { pid, handle } = await stranded(3_600_000);

    await sweepUntil(pid, 'RUNNING');
    await sweep();

    expect(await executionRow(pid)).toMatchObject({ status: 'RUNNING' });
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await handle.terminate();
  });

  it('fails with INTERNAL_ERROR and frees its key when somebody terminated the workflow', async () => {
    const { pid, handle } = await stranded(61_000);
    await handle.terminate();

    await sweepUntil(pid, 'FAILED');

    expect(await executionRow(pid)).toMatchObject({
      status: 'FAILED',
      idempotencyKey: null,
      error: { code: 'INTERNAL_ERROR', data: { traceId: expect.any(String) } },
    });
    expect(await leads()).toEqual([]);
  });

  it('is executed by another workflow when Temporal has lost the first', async () => {
    const pid = await orphan(100);
    await (
      await container()
    ).database.query(
      `update platform.command_execution set status = 'RUNNING', created_at = now() - interval '2 minutes' where pid = $1`,
      [pid],
    );

    await until('the execution ends', async () => {
      await sweep();
      return (await executionRow(pid)).status === 'SUCCEEDED';
    });
    expect(await leads()).toHaveLength(1);
  });

  it('gets a minute for that: a workflow that closed a moment ago may be about to report', async () => {
    const { pid, handle } = await stranded(30_000);
    await handle.terminate();

    await sweepUntil(pid, 'RUNNING');
    await sweep();

    expect(await executionRow(pid)).toMatchObject({ status: 'RUNNING', error: null });
  });
});

describe('an execution younger than its request can wait for Temporal', () => {
  it('is left to the request that accepted it', async () => {
    const pid = await orphan(-60_000);

    await sweep();

    await expect(historyOf(pid)).rejects.toThrow('not found');
  });
});
