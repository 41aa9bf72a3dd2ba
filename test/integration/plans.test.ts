import { execute } from '../support/api.ts';
import { newAutomation } from '../support/automations.ts';
import { until } from '../support/faults.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { Receiver } from '../support/receiver.ts';
import { subscribe } from '../support/webhooks.ts';
import { container, signedIn } from '../support/world.ts';

/* Setup: a program with a database of its own, whose tables are never vacuumed nor analysed. */
const GROWING = ['command_execution', 'event', 'change_log', 'webhook_delivery', 'webhook_attempt'] as const;
const MANY = 30_000;
let own: OwnProgram;
beforeAll(async () => {
  own = await startOwnProgram('plans');
  const { orm } = await container();
  for (const table of GROWING) {
    await orm.em.execute(`alter table platform.${table} set (autovacuum_enabled = off)`);
    await orm.em
      .execute(`delete from pg_statistic where starelid = 'platform.${table}'::regclass`)
      .catch(() => undefined);
  }
});
afterAll(() => own.stop());
const { tenant, user } = signedIn('ADMIN');

/** Commands, their events and deliveries, one of which fails first, runs of an automation, and an import. */
async function useEachPath(well: Receiver, shaky: Receiver, round: string): Promise<void> {
  const count = 6;
  const before = { well: well.received.length, shaky: shaky.received.length };
  const done = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      execute(user.token, 'crm:create_lead', { payload: { name: `${round} ${index}` } }),
    ),
  );
  expect(done.map(({ status }) => status)).toEqual(done.map(() => 200));
  const content = `Name\n${Array.from({ length: count }, (_, index) => `imported ${round} ${index}`).join('\n')}`;
  const body = { mapping: { Name: 'name' }, mode: 'create' };
  const { importPid } = (await askForImport(user, { pageKey: 'leads', content, body })).body.data;
  expect(await endedImport(user, importPid)).toMatchObject({ status: 'SUCCEEDED', created: count });
  await well.have(before.well + count);
  await until('the retries arrive', () => shaky.received.length >= before.shaky + 2 * count);
}

/** Copies one row of a table many times. */
async function fill(table: (typeof GROWING)[number], changes: string): Promise<void> {
  const { orm } = await container();
  await orm.em.execute(
    `insert into platform.${table} overriding system value
     select filled.* from (select * from platform.${table} limit 1) t, generate_series(1, ${MANY}) i,
       lateral jsonb_populate_record(null::platform.${table}, to_jsonb(t) || ${changes}) filled`,
  );
}

describe('the statements of commands, events, deliveries, runs and imports', () => {
  it('read no growing table from end to end, though their plans were made while it was empty', async () => {
    const [well, shaky] = [await Receiver.start(), await Receiver.start()];
    const seen = new Set<unknown>();
    shaky.answer = ({ headers }) => {
      const isFirst = !seen.has(headers['webhook-id']);
      seen.add(headers['webhook-id']);
      return { status: isFirst ? 503 : 200 };
    };
    await newAutomation({
      trigger: { type: 'event', eventType: 'crm:create_lead' },
      steps: [{ id: 'check', type: 'condition', assert: 'true' }],
    });
    for (const { url } of [well, shaky]) await subscribe(tenant, user, url, { eventType: 'crm:create_lead' });
    await useEachPath(well, shaky, 'empty');

    await fill('command_execution', `jsonb_build_object('id', 1000000 + i, 'pid', 'x' || i, 'idempotency_key', null)`);
    await fill(
      'event',
      `jsonb_build_object('id', 1000000 + i, 'pid', 'x' || i, 'execution_pid', 'x' || i, 'dispatched_at', now())`,
    );
    await fill('change_log', `jsonb_build_object('id', 1000000 + i)`);
    await fill('webhook_delivery', `jsonb_build_object('id', 1000000 + i, 'pid', 'x' || i, 'event_pid', 'x' || i)`);
    await fill('webhook_attempt', `jsonb_build_object('delivery_pid', 'x' || i)`);
    await useEachPath(well, shaky, 'full');

    // What its connections have counted is told when they end.
    await own.program.stop();
    const { database } = await container();
    const scans = () =>
      database.query<{ relname: string; rows: number }>(
        `select relname, seq_tup_read::float8 as rows from pg_stat_user_tables
         where schemaname = 'platform' and relname = any($1) and seq_tup_read >= $2`,
        [GROWING, MANY],
      );
    expect(await scans()).toEqual([]);
  });
});
