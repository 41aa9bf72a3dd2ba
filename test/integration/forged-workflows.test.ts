import { ulid } from 'ulid';
import { codeOfFailure } from '../../src/foundation/errors/temporal-failure.ts';
import { insertBatch } from '../../src/features/commands/executions/batch-store.ts';
import { insertExecutions } from '../../src/features/commands/executions/execution-store.ts';
import * as contracts from '../../workflows/contracts.ts';
import { newAutomation } from '../support/automations.ts';
import { dataOf } from '../support/api.ts';
import { newExecution } from '../support/executions.ts';
import { executionRow, publishProbe, rowsOf, temporal, until } from '../support/faults.ts';
import { name } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { newUnits, platformAdmin } from '../support/promotions.ts';
import { container, newTenant, newUser, signedInForEach } from '../support/world.ts';

/*
 * Setup: a node. Timeline: somebody who reaches Temporal starts workflows of ours by hand, with arguments
 * that we would never give. What this proves: a workflow can do what a row allows, and nothing else.
 */
beforeAll(async () => {
  await startOwnNode('forged');
  await publishProbe();
});
const creator = platformAdmin();
const { tenant, user } = signedInForEach('ADMIN');

async function start(type: string, argument: unknown, workflowId = `forged:${ulid()}`) {
  const { taskQueue } = (await container()).temporal;
  return (await temporal()).workflow.start(type, { workflowId, taskQueue, args: [argument] });
}

/** How a workflow that is started by hand ends: the code of its failure, or null. */
async function endOf(type: string, argument: unknown, workflowId?: string): Promise<string | null> {
  const handle = await start(type, argument, workflowId);
  return handle.result().then(
    () => null,
    (error: unknown) => codeOfFailure(error) ?? String(error),
  );
}

const probes = () => rowsOf(tenant.id, 'select name from dev.mt_probe');

describe('a promotion started by hand', () => {
  it.each([1, -5, 0])('with the expiry %p does not expire what its row keeps alive', async (expiresMs) => {
    const pid = await creator.validated((await newUnits([name])).units, 'prod');
    const handle = await start(contracts.PROMOTION, { promotionPid: pid, expiresMs });

    await until('the row was asked', async () => {
      const { events } = await handle.fetchHistory();
      return (events ?? []).some(({ markerRecordedEventAttributes: marker }) => marker);
    });

    expect(dataOf(await creator.promotion(pid))).toMatchObject({ status: 'VALIDATED' });
    await handle.terminate();
  });

  it('that names any promotion and any request carries none out', async () => {
    const pid = await creator.validated((await newUnits([name])).units, 'prod');
    const any = { $ne: null };

    expect(await endOf(contracts.PROMOTION, { promotionPid: any, expiresMs: 1, requestPids: [any] })).toBe(
      'VALIDATION_ERROR',
    );
    expect(dataOf(await creator.promotion(pid))).toMatchObject({ status: 'VALIDATED' });
  });
});

describe('a command started by hand', () => {
  it('does what its row says, not what comes with it', async () => {
    const accepted = await newExecution(tenant, user, { payload: { name: 'as accepted' } });
    await insertExecutions((await container()).database, [accepted]);
    const other = await newTenant();
    const forged = { ...accepted, tenantId: other.id, payload: { name: 'forged' }, roles: ['ADMIN'] };

    expect(await endOf(contracts.EXECUTE_COMMAND, { executionPid: accepted.pid, accepted: forged })).toBeNull();

    expect(await probes()).toEqual([{ name: 'as accepted' }]);
    expect(await rowsOf(other.id, 'select name from dev.mt_probe')).toEqual([]);
  });

  it.each(['executeCommand', 'executeCommands'])('is no item of a batch, nor a batch (%s)', async (type) => {
    const { database } = await container();
    const batch = await newExecution(tenant, user, { operation: 'BATCH', payload: { mode: 'atomic' } });
    const item = { ...(await newExecution(tenant, user, { payload: { name: 'a' } })), batchIndex: 0 };
    const ofBatch = 'update platform.command_execution set created_at = now() + $2::interval where batch_pid = $1';
    await database.transaction(async (transaction) => {
      await insertBatch(transaction, batch, [item]);
      // Too young to be taken up by who looks for stuck ones.
      await transaction.query(ofBatch, [batch.pid, '1 hour']);
    });

    for (const pid of [item.pid, batch.pid]) {
      await endOf(type, type === 'executeCommand' ? { executionPid: pid } : { groupPid: ulid(), executionPids: [pid] });
    }

    expect(await probes()).toEqual([]);
    expect((await executionRow(item.pid)).status).toBe('RECEIVED');
    expect((await executionRow(batch.pid)).status).toBe('RECEIVED');
    await database.query(`update platform.command_execution set status = 'CANCELLED' where batch_pid = $1`, [
      batch.pid,
    ]);
  });
});

describe('a schedule fired by hand', () => {
  const runsOf = (code: string) => runSql('select pid from platform.automation_run where automation_code = $1', [code]);

  it('starts no run, unless it is due then', async () => {
    const steps = [{ id: 'ok', type: 'condition' as const, assert: 'true' }];
    const trigger = { type: 'schedule' as const, cron: '0 0 1 1 *', tenants: [tenant.id] };
    const code = await newAutomation({ steps, runAs: 'VIEWER', trigger });
    const { taskQueue } = (await container()).temporal;
    const input = { environment: 'dev', automationCode: code };
    const now = `${new Date().toISOString().slice(0, 17)}00Z`;

    for (const id of [ulid(), now, '2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z', '']) {
      const workflowId = `automation:${taskQueue}:dev:${code}-workflow-${id}`;
      expect(await endOf(contracts.FIRE_AUTOMATION, input, workflowId)).toBeNull();
    }
    expect(await endOf(contracts.FIRE_AUTOMATION, input)).toBeNull();

    expect(await runsOf(code)).toEqual([]);
  });

  it('of an environment that there is not is refused', async () => {
    expect(await endOf(contracts.FIRE_AUTOMATION, { environment: 'x', automationCode: 'y' })).toBe('VALIDATION_ERROR');
  });
});

describe('a reset mail sent by hand', () => {
  it('is none for a user who asked for none', async () => {
    const { id, pid } = await newUser(['VIEWER'], tenant);

    expect(await endOf(contracts.RESET_MAIL, { userPid: pid })).toBeNull();

    expect(await runSql('select 1 from platform.password_reset where user_id = $1', [id])).toEqual([]);
  });
});
