import { ulid } from 'ulid';
import { Client, Connection } from '@temporalio/client';
import { createLogger } from '../../src/foundation/logging/logger.ts';
import { TemporalGateway } from '../../src/foundation/temporal/temporal-gateway.ts';
import { PURGE, purgeScheduleId } from '../../workflows/contracts.ts';
import { getRun, newAutomation, runToEnd } from '../support/automations.ts';
import { OwnTemporal, until } from '../support/faults.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { startProgram, type Program } from '../support/program.ts';
import { newTenant, newUser } from '../support/world.ts';

/*
 * Setup: a program on a database of its own, and a new Temporal server. Timeline: two nodes start at once on
 * that server. What this proves: the purge is scheduled once, and it purges.
 */
const programs: Program[] = [];

beforeAll(async () => {
  await startOwnNode('purge');
});
afterAll(async () => {
  for (const program of programs) await program.stop('SIGKILL');
});

/** The pid of a run that ended so many days ago. */
async function endedRun(token: string, days: number): Promise<string> {
  const { runPid } = await runToEnd(
    token,
    await newAutomation({ steps: [{ id: 'one', type: 'condition', assert: 'true' }] }),
  );
  const ago = "finished_at - $1 * interval '1 day'";
  await runSql(`update platform.automation_run set finished_at = ${ago} where pid = $2`, [days, runPid]);
  return runPid;
}

describe('the daily purge', () => {
  it('is scheduled once by nodes that start together, and purges', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());
    const old = await endedRun(token, 91);
    const { address } = await OwnTemporal.start();
    const connection = await Connection.connect({ address });
    const { schedule } = new Client({ connection });
    const taskQueue = `purge-${ulid()}`;
    const idsOf = async (): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { scheduleId } of schedule.list()) if (scheduleId.startsWith('purge')) ids.push(scheduleId);
      return ids.sort();
    };
    const settings = { TEMPORAL_ADDRESS: address, TEMPORAL_TASK_QUEUE: taskQueue, KEELSON_ROLES: 'worker' };

    programs.push(...(await Promise.all([startProgram(settings), startProgram(settings)])));

    const id = purgeScheduleId(taskQueue);
    // A server that has just started may fail the first attempt; the next is a minute later.
    await until('there is one schedule', async () => (await idsOf()).join() === id);
    await schedule.getHandle(id).trigger();
    await until('the run is forgotten', async () => (await getRun(token, old)).status === 404);

    // A schedule of another installation's task queue is not deleted here.
    const foreign = 'purge-of-another';
    await schedule.create({
      scheduleId: foreign,
      spec: { intervals: [{ every: 86_400_000 }] },
      action: { type: 'startWorkflow', workflowType: PURGE, taskQueue: 'another-installation' },
    });
    const gatewayOf = async (queue: string) => {
      const options = { namespace: 'default', taskQueue: queue, eager: false };
      const gateway = new TemporalGateway(options, createLogger('silent'));
      await gateway.connect(() => Promise.resolve(connection));
      return gateway;
    };
    await (await gatewayOf(taskQueue)).schedules.delete(foreign);
    expect(await idsOf()).toEqual([foreign, id].sort());
    await (await gatewayOf('another-installation')).schedules.delete(foreign);
    await until('it is gone', async () => (await idsOf()).join() === id);
    await connection.close();
  });
});
