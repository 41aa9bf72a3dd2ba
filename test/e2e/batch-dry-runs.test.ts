import { call, execute, expectRefusal } from '../support/api.ts';
import { rowsOf } from '../support/faults.ts';
import { insert, newModel, newRole } from '../support/models.ts';
import { newUser, signedInForEach } from '../support/world.ts';

const { tenant, user } = signedInForEach('ADMIN');

const dryRun = (command: string, items: readonly object[], rest: object = {}, { token } = user) =>
  call(`/api/meta/commands/execute/${command}/batch`, { token, body: { items, dryRun: true, ...rest } });
const update = (targetRecordId: string, payload: object, rest: object = {}) => ({ targetRecordId, payload, ...rest });
const counts = async () => {
  const tables = ['change_log', 'event', 'command_execution'].map((table) => `platform.${table}`);
  const counted = tables.map((table) => `(select count(*) from ${table} where tenant_id = $1) as "${table}"`);
  const rows = await rowsOf(tenant.id, `select ${counted.join(', ')}`, [tenant.id]);
  return [rows, await rowsOf(tenant.id, 'select pid, name, amount, version from dev.mt_lead order by pid')];
};

describe('POST /api/meta/commands/execute/{commandCode}/batch with dryRun', () => {
  it('tells of each item its result and its changes, and leaves nothing behind', async () => {
    const [ada = '', ben = ''] = await insert(tenant, 'lead', [
      { name: 'Ada', amount: '1' },
      { name: 'Ben', amount: '2' },
    ]);
    const before = await counts();
    const answer = await dryRun('crm:update_lead', [
      update(ada, { amount: '10' }),
      update(ben, { amount: '20' }),
      update(ada, { name: 'Ada L.' }, { expectedVersion: 2 }),
    ]);

    expect(answer).toMatchObject({ status: 200, body: { code: '0', data: { succeeded: 3, failed: 0 } } });
    expect(answer.headers.get('x-execution-pid')).toBeNull();
    expect(answer.body.data.results).toMatchObject([
      { index: 0, code: '0', executionPid: null, data: { result: { pid: ada, amount: '10' } } },
      { index: 1, data: { changes: [{ modelCode: 'lead', recordPid: ben, action: 'UPDATE' }] } },
      // It sees what the first would have written.
      { index: 2, data: { result: { name: 'Ada L.', amount: '10', version: 3 } } },
    ]);
    expect(answer.body.data.results[1].data.changes[0].changes).toEqual({ amount: { from: '2', to: '20' } });
    expect(await counts()).toEqual(before);
  });

  it('of a partial batch says which items fail and why, and of an atomic one fails as it would', async () => {
    const [ada = ''] = await insert(tenant, 'lead', [{ name: 'Ada', status: 'new' }]);
    const [won = ''] = await insert(tenant, 'lead', [{ name: 'Won', status: 'won' }]);
    const items = [ada, won, ada].map((pid) => update(pid, {}));
    const partial = await dryRun('crm:convert_lead', [...items, { payload: {} }], { mode: 'partial' });

    expect(partial).toMatchObject({ status: 200, body: { data: { succeeded: 1, failed: 3 } } });
    expect(partial.body.data.results).toMatchObject([
      { code: '0' },
      { code: 'CONFLICT', data: { reason: 'STATE' } },
      { code: 'CONFLICT', data: { reason: 'STATE' } },
      { code: 'VALIDATION_ERROR', data: { fieldErrors: { targetRecordId: 'is required' } } },
    ]);
    expectRefusal(await dryRun('crm:convert_lead', items), 'CONFLICT', { reason: 'STATE', index: 1 });
    expect((await execute(user.token, 'crm:convert_lead', items[0] as object)).body).toMatchObject({ code: '0' });
  });

  it('leaves out what the caller may not read, and needs the same permission', async () => {
    const fields = [
      { code: 'name', name: 'Name', type: 'string' as const },
      { code: 'secret', name: 'Secret', type: 'string' as const, readPermission: true, default: 'hush' },
    ];
    const { code, command } = await newModel({ fields });
    const blind = await newUser([await newRole([`command:execute:${command}`, `record:read:${code}`])], tenant);
    const items = [{ payload: { name: 'a' }, operationType: 'CREATE' }];

    const answer = await dryRun(command, items, {}, blind);
    expect(answer.body.data.results).toMatchObject([{ data: { changes: [{ changes: { name: { to: 'a' } } }] } }]);
    expect(JSON.stringify(answer.body)).not.toContain('hush');
    const viewer = await newUser(['VIEWER'], tenant);
    expect(await dryRun('crm:update_lead', items, {}, viewer)).toMatchObject({ status: 403 });
    expect(await dryRun('crm:update_lead', items, { dryRun: 'yes' })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { dryRun: 'must be true or false' } } },
    });
  });
});
