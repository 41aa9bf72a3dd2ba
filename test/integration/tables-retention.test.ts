import { ulid } from 'ulid';
import { executionRetention } from '../../src/features/commands/executions/execution-retention.ts';
import { changeRetention } from '../../src/platform/events/changes/change-log.ts';
import { sessionRetention } from '../../src/platform/auth/sessions/sessions.service.ts';
import { call, execute } from '../support/api.ts';
import { newModel, newRole } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { container, newTenant, newUser } from '../support/world.ts';

const BY_HAND = 'one row for each that people set up; they remove them';
const HISTORY = 'one row for each change that a person makes; it is what auditors ask for';

/** Why a table without a retention rule does not grow for ever, or is meant to. */
const REASONS: Readonly<Record<string, string>> = {
  installation: 'one row',
  environment: 'three rows',
  migration: 'one row for each migration',
  purge_position: 'one row for each rule that needs one',
  tenant: BY_HAND,
  user: BY_HAND,
  membership: BY_HAND,
  service_account: BY_HAND,
  api_key: BY_HAND,
  dsl_resource: BY_HAND,
  environment_secret: BY_HAND,
  webhook_subscription: BY_HAND,
  webhook_endpoint: 'one row for each subscription',
  im_channel_binding: BY_HAND,
  automation_schedule: 'one row for each scheduled automation',
  application_manifest: 'one row for each application of an environment',
  saved_view: BY_HAND,
  field_rename: 'one row for each field that was renamed',
  file_reference: 'one row for each file that a record names; it goes with the record',
  file_usage: 'one row for each tenant with files',
  awaited_event: 'a row goes when all steps that wait for the event have seen it, which the relay sees to',
  dsl_resource_version: HISTORY,
  promotion: HISTORY,
  promotion_request: HISTORY,
  promotion_approval: HISTORY,
  audit_entry: 'append-only, and chained by hashes: a part that is missing cannot be told from one that was removed',
};
/** Records belong to their tenant, which deletes them, and purges them where that must be for good. */
const RECORDS = /^mt_/;

describe('no table grows for ever', () => {
  it('each has a retention rule, or a reason why it needs none', async () => {
    const { purge } = await container();
    const tables = await runSql<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname in ('platform', 'dev', 'staging', 'prod')`,
    );
    const known = new Set([...purge.tables, ...Object.keys(REASONS)]);

    expect(tables.map(({ name }) => name).filter((name) => !known.has(name) && !RECORDS.test(name))).toEqual([]);
    const present = new Set(tables.map(({ name }) => name));
    expect([...known].filter((name) => !present.has(name))).toEqual([]);
  });
});

describe('what is older than its retention', () => {
  const OLD_DAYS = 3_000;
  const oldPid = (): string => ulid(Date.now() - OLD_DAYS * 86_400_000);

  /** A command that was executed long ago. */
  async function oldExecution(days: { payloads: number; rows: number }) {
    const model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    const { token } = await newUser([await newRole(model.permissions)], await newTenant());
    const { headers } = await execute(token, model.command, { payload: { name: 'secret' } });
    const young = headers.get('x-execution-pid') ?? '';
    const old = oldPid();
    await runSql(
      `insert into platform.command_execution select (jsonb_populate_record(e, jsonb_build_object('pid', $1::text, 'idempotency_key', null))).*
       from platform.command_execution e where pid = $2`,
      [old, young],
    );
    await runSql(`update platform.purge_position set position = ''`);
    const { orm } = await container();
    // The rules before them are those of the running program.
    const retention = executionRetention(orm, days, 10);
    while (await retention.purgeBatch());
    const find = (pid: string) =>
      runSql<{ payload: object; result: object }>(
        'select payload, result from platform.command_execution where pid = $1',
        [pid],
      );
    return { old: await find(old), young: await find(young) };
  }

  it('is, of an executed command, first its payload and its result', async () => {
    const { old, young } = await oldExecution({ payloads: OLD_DAYS - 1, rows: OLD_DAYS + 1 });
    expect(old).toEqual([{ payload: {}, result: null }]);
    expect(young).toMatchObject([{ payload: { name: 'secret' }, result: { name: 'secret' } }]);
  });

  it('is then the command itself', async () => {
    const { old, young } = await oldExecution({ payloads: 0, rows: OLD_DAYS - 1 });
    expect(old).toEqual([]);
    expect(young).toHaveLength(1);
  });

  it('is the history of records, and nothing else may change it', async () => {
    const lines = (pid: string) => runSql('select 1 from platform.change_log where record_pid = $1', [pid]);
    const [old, young] = [ulid(), ulid()];
    for (const [id, pid, days] of [
      [-1, old, OLD_DAYS],
      [-2, young, 1],
    ]) {
      await runSql(
        `insert into platform.change_log (id, environment, tenant_id, model_code, record_pid, action, user_pid, created_at)
         overriding system value values ($1, 'dev', 7, 'm', $2, 'CREATE', 'x', now() - $3 * interval '1 day')`,
        [id, pid, days],
      );
    }
    const { orm } = await container();

    while (await changeRetention(orm, OLD_DAYS - 1, 10).purgeBatch());

    expect([(await lines(String(old))).length, (await lines(String(young))).length]).toEqual([0, 1]);
    const refused = runSql('delete from platform.change_log where record_pid = $1', [young]);
    await expect(refused).rejects.toMatchObject({ code: '42501' });
  });

  it('is a session that has expired, with its refresh tokens', async () => {
    const user = await newUser(['SALES'], await newTenant());
    await call('/api/auth/login', { body: { email: user.email, password: 'a-password-of-the-tests' } });
    const sessions = () =>
      runSql<{ pid: string }>('select pid from platform.session where user_id = $1 order by created_at', [user.id]);
    const [first, second] = await sessions();
    await runSql(`update platform.session set expires_at = now() - interval '8 days' where pid = $1`, [first?.pid]);
    const { orm } = await container();

    await sessionRetention(orm, 7).purgeBatch();

    expect(await sessions()).toEqual([second]);
    expect(await runSql('select 1 from platform.refresh_token where session_pid = $1', [first?.pid])).toEqual([]);
  });
});
