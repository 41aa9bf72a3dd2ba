import { Connection } from '@temporalio/client';
import { ulid } from 'ulid';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication } from '../../src/application.ts';
import { wallClock } from '../../src/foundation/time/time-zones.ts';
import { fireSchedule, ScheduleReconciler } from '../../src/features/automations/triggers/schedule-reconciler.ts';
import { newAutomation } from '../support/automations.ts';
import { temporal, temporalAddress, until } from '../support/faults.ts';
import { newTenant, newUser } from '../support/world.ts';
import { call, dataOf } from '../support/api.ts';
import { runSql } from '../support/platform.ts';

/** A worker's keeper, for a task queue that no worker polls: what is due starts nothing. */
async function keeperOf(taskQueue: string) {
  const node = await createApplication(
    readConfig({ ...process.env, TEMPORAL_TASK_QUEUE: taskQueue, LOG_LEVEL: 'silent' }),
  );
  await node.store.connect();
  const connection = await node.temporal.connect(() => Connection.connect({ address: temporalAddress() }));
  const keeper = new ScheduleReconciler(node.orm, node.store, node.snapshots, node.temporal, node.logger);
  return { keeper, node, close: () => Promise.all([node.close(), connection?.close()]) };
}

async function scheduleIdsOf(taskQueue: string): Promise<string[]> {
  const { schedule } = await temporal();
  const ids: string[] = [];
  for await (const { scheduleId } of schedule.list()) if (scheduleId.includes(`:${taskQueue}:`)) ids.push(scheduleId);
  return ids;
}

describe('the schedules of automations', () => {
  it('follow the configuration in every task queue, although two share a database', async () => {
    const [one, two] = [`one-${ulid()}`, `two-${ulid()}`];
    const keepers = [await keeperOf(one), await keeperOf(two)];
    const lookAll = async () => {
      for (const { keeper } of keepers) await keeper.reconcile();
    };
    const steps = [{ id: 'ok', type: 'condition' as const, assert: 'true' }];
    const { id } = await newTenant();
    const hourly = (hours: number) => ({
      steps,
      runAs: 'VIEWER',
      trigger: { type: 'schedule' as const, everySeconds: 3_600 * hours, tenants: [id] },
    });
    const { schedule } = await temporal();
    try {
      const code = await newAutomation(hourly(1));
      const idOf = (taskQueue: string) => `automation:${taskQueue}:dev:${code}`;
      const hoursOf = async (taskQueue: string) => {
        const { spec } = await schedule.getHandle(idOf(taskQueue)).describe();
        return Number(spec.intervals?.[0]?.every) / 3_600_000;
      };
      // A look that Redis or Temporal has failed is made up for by the next.
      const become = (hours: number) =>
        until(`both run every ${hours} h`, async () => {
          await lookAll();
          return (await hoursOf(one)) === hours && (await hoursOf(two)) === hours;
        });
      await become(1);

      await newAutomation(hourly(2), code);
      await become(2);

      await newAutomation({ steps }, code);
      await until('both schedules have gone', async () => {
        await lookAll();
        const left = [...(await scheduleIdsOf(one)), ...(await scheduleIdsOf(two))];
        return !left.some((id) => id.endsWith(code));
      });
    } finally {
      for (const taskQueue of [one, two]) {
        // The listing may still know one that has gone.
        for (const each of await scheduleIdsOf(taskQueue)) {
          await schedule
            .getHandle(each)
            .delete()
            .catch(() => undefined);
        }
      }
      for (const { close } of keepers) await close();
    }
  });

  it('are due by the clocks of each tenant where they name no time zone', async () => {
    const taskQueue = `zoned-${ulid()}`;
    const { keeper, node, close } = await keeperOf(taskQueue);
    const [utc, shanghai] = [await newTenant(), await newTenant()];
    const admin = await newUser(['PLATFORM_ADMIN'], utc);
    const [row] = await runSql<{ pid: string }>('select pid from platform.tenant where id = $1', [shanghai.id]);
    const body = { timeZone: 'Asia/Shanghai' };
    dataOf(await call(`/api/admin/tenants/${row?.pid}`, { method: 'PATCH', token: admin.token, body }));
    const due = new Date(Math.floor(Date.now() / 60_000) * 60_000);
    const local = wallClock(due, 'Asia/Shanghai');
    const cron = `${local.getUTCMinutes()} ${local.getUTCHours()} * * *`;
    const code = await newAutomation({
      steps: [{ id: 'ok', type: 'condition', assert: 'true' }],
      runAs: 'VIEWER',
      trigger: { type: 'schedule', cron, tenants: [utc.id, shanghai.id] },
    });
    const { schedule } = await temporal();
    const ids = [`automation:${taskQueue}:dev:${code}`, `automation:${taskQueue}:dev:${code}@Asia/Shanghai`];
    try {
      await until('both schedules are there', async () => {
        await keeper.reconcile();
        const found = await scheduleIdsOf(taskQueue);
        return ids.every((id) => found.includes(id));
      });
      const signaller = { signal: () => Promise.resolve() } as never;
      const parts = { orm: node.orm, database: node.database, snapshots: node.snapshots, signaller, taskQueue };
      for (const id of ids) await fireSchedule(parts, 'dev', code, `${id}-workflow-${due.toISOString()}`);
      const runs = await runSql<{ tenant: string }>(
        'select tenant_id::text as tenant from platform.automation_run where automation_code = $1',
        [code],
      );
      expect(runs).toEqual([{ tenant: shanghai.id }]);
    } finally {
      for (const id of ids)
        await schedule
          .getHandle(id)
          .delete()
          .catch(() => undefined);
      await close();
    }
  });
});
