import { call, execute, list, type Answered, expectRefusal } from '../support/api.ts';
import { rowsOf } from '../support/faults.ts';
import { insert, newCode, newModel, newRole, save } from '../support/models.ts';
import { subscribe } from '../support/webhooks.ts';
import { newTenant, newUser, signedInForEach } from '../support/world.ts';

const { tenant, user } = signedInForEach('ADMIN');

const dryRun = (command: string, body: object, { token } = user, headers = {}): Promise<Answered> =>
  execute(token, command, { ...body, dryRun: true }, { headers });

/** A lead that no event tells of. */
async function newLead(): Promise<string> {
  const [pid] = await insert(tenant, 'lead', [{ name: 'Ada', status: 'new' }]);
  return pid as string;
}

/** Everything that commands leave behind in the tenant. */
async function traces() {
  const counts = ['change_log', 'event', 'command_execution', 'webhook_delivery'].map((table) => `platform.${table}`);
  const tables = ['dev.mt_lead', 'dev.mt_account', 'dev.mt_contact', 'dev.mt_deal', ...counts];
  const counted = tables.map((table) => `(select count(*) from ${table} where tenant_id = $1) as "${table}"`);
  const [found] = await rowsOf(tenant.id, `select ${counted.join(', ')}`, [tenant.id]);
  const leads = await rowsOf(tenant.id, 'select pid, status, version from dev.mt_lead order by pid');
  return { found, leads, total: (await list(user.token, 'accounts')).body.data.total as number };
}

describe('POST /api/meta/commands/execute/{commandCode} with dryRun', () => {
  it('answers the result, the changes, the events and who would hear them, and leaves nothing behind', async () => {
    const targetRecordId = await newLead();
    const url = 'http://127.0.0.1:1/';
    const converted = await subscribe(tenant, user, url, { name: 'all', eventType: 'lead.*' });
    const accounts = await subscribe(tenant, user, url, {
      name: 'accounts',
      eventType: 'record.created',
      modelCode: 'account',
    });
    const filterExpression = "payload.deal_name == 'Small'";
    await subscribe(tenant, user, url, { name: 'filtered', eventType: 'lead.converted', filterExpression });
    await subscribe(tenant, user, url, { name: 'created', eventType: 'crm:create_lead' });
    const other = await newTenant();
    await subscribe(other, await newUser(['ADMIN'], other), url, { name: 'foreign', eventType: '*' });
    const before = await traces();
    const body = { targetRecordId, payload: { deal_name: 'Big' }, clientRequestId: 'once' };

    const answer = await dryRun('crm:convert_lead', body);

    expect(answer).toMatchObject({ status: 200, body: { code: '0' } });
    expect(answer.headers.get('x-execution-pid')).toBeNull();
    const { result, changes, events, subscriptions } = answer.body.data;
    expect(result).toMatchObject({ lead: { status: 'won' }, deal: { name: 'Big', lead: targetRecordId } });
    expect(changes).toMatchObject([
      { modelCode: 'account', action: 'CREATE', recordPid: result.account.pid },
      { modelCode: 'contact', action: 'CREATE' },
      { modelCode: 'deal', action: 'CREATE', changes: { name: { from: null, to: 'Big' } } },
      { modelCode: 'lead', action: 'UPDATE', recordPid: targetRecordId },
    ]);
    expect(changes[3].changes).toEqual({
      status: { from: 'new', to: 'won' },
      account: { from: null, to: result.account.pid },
    });
    expect(events).toMatchObject([
      { eventType: 'lead.converted', modelCode: 'lead', recordPid: targetRecordId, body: { result, payload: {} } },
      { eventType: 'record.created', modelCode: 'account', body: { commandCode: 'crm:convert_lead' } },
      { eventType: 'record.created', modelCode: 'contact' },
      { eventType: 'record.created', modelCode: 'deal', body: { payload: { name: 'Big' } } },
      { eventType: 'record.updated', modelCode: 'lead', recordPid: targetRecordId, body: { result: result.lead } },
    ]);
    expect(subscriptions).toEqual([
      { pid: converted, name: 'all' },
      { pid: accounts, name: 'accounts' },
    ]);
    expect(await traces()).toEqual(before);
    // The key is free: the command itself is no repeat.
    expect((await execute(user.token, 'crm:convert_lead', body)).body).toMatchObject({ code: '0' });
    expect(await traces()).not.toEqual(before);
  });

  it('fails as the command would, and leaves no execution behind', async () => {
    const targetRecordId = await newLead();
    await execute(user.token, 'crm:convert_lead', { targetRecordId, payload: {} });
    const stranger = await newUser(['ADMIN'], await newTenant());
    const before = await traces();
    const update = { targetRecordId, payload: { name: 'B' } };

    expectRefusal(await dryRun('crm:convert_lead', { targetRecordId, payload: {} }), 'CONFLICT', { reason: 'STATE' });
    expect(await dryRun('crm:update_lead', update, user, { 'If-Match': '"9"' })).toMatchObject({ status: 412 });
    expectRefusal(await dryRun('crm:create_lead', { payload: {} }), 'VALIDATION_ERROR', {
      fieldErrors: { name: 'is required' },
    });
    expect(await dryRun('crm:update_lead', update, stranger)).toMatchObject({ status: 404 });
    expect(await dryRun('crm:update_lead', update, await newUser(['VIEWER'], tenant))).toMatchObject({ status: 403 });
    expect(await traces()).toEqual(before);
  });

  it('leaves out what the caller may not read', async () => {
    const fields = [
      { code: 'name', name: 'Name', type: 'string' as const },
      { code: 'secret', name: 'Secret', type: 'string' as const, readPermission: true },
    ];
    const [open, closed] = [await newModel({ fields }), await newModel({ fields })];
    const [both, one] = [`test:${newCode()}`, `test:${newCode()}`];
    const values = { name: "'seen'", secret: "'hush'" };
    const steps = [open, closed].map(({ code }) => ({ id: code, operation: 'CREATE', modelCode: code, values }));
    const content = { name: 'test', modelCode: open.code, operations: ['CUSTOM'] };
    await save(
      'dev',
      { resourceType: 'COMMAND', code: both, content: { ...content, steps } },
      { resourceType: 'COMMAND', code: one, content: { ...content, steps: steps.slice(0, 1) } },
    );
    const codes = ['command:execute:test:*', `record:read:${open.code}`];
    const blind = await newUser([await newRole(codes)], tenant);
    await subscribe(tenant, user, 'http://127.0.0.1:1/', { name: 'all', eventType: '*' });

    const own = (await dryRun(one, {}, blind)).body.data;
    const shared = (await dryRun(both, {}, blind)).body.data;

    expect(own).toMatchObject({ result: { [open.code]: { name: 'seen' } }, subscriptions: [] });
    expect(own.events).toHaveLength(2);
    expect(own.changes).toMatchObject([{ changes: { name: { from: null, to: 'seen' } } }]);
    expect(shared.changes).toMatchObject([{ modelCode: open.code }]);
    expect(shared.events).toMatchObject([{ eventType: 'record.created', modelCode: open.code }]);
    expect(JSON.stringify([own, shared])).not.toContain('hush');
  });

  it('has one change of a record that is written twice, and those of the records after it', async () => {
    const { code } = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    const command = `test:${newCode()}`;
    const steps = [
      { id: 'one', operation: 'CREATE', modelCode: code, values: { name: "'a'" } },
      { id: 'again', operation: 'UPDATE', modelCode: code, target: 'steps.one.pid', values: { name: "'b'" } },
      { id: 'two', operation: 'CREATE', modelCode: code, values: { name: "'c'" } },
    ];
    const content = { name: 'test', modelCode: code, operations: ['CUSTOM'], steps };
    await save('dev', { resourceType: 'COMMAND', code: command, content });

    const { changes, events } = (await dryRun(command, {})).body.data;

    expect(changes.map((change: { changes: object }) => change.changes)).toMatchObject([
      { name: { from: null, to: 'b' } },
      { name: { from: null, to: 'c' } },
    ]);
    expect(events).toHaveLength(3);
  });

  it('is not for commands of the platform', async () => {
    const resource = { resourceType: 'MODEL', code: newCode() };
    const admin = await newUser(['PLATFORM_ADMIN'], tenant);

    for (const [command, payload] of [
      ['meta:delete', resource],
      ['record:restore', { modelCode: 'lead', pid: await newLead() }],
    ] as const) {
      expect(await dryRun(command, { payload }, admin)).toMatchObject({
        status: 400,
        body: { data: { fieldErrors: { dryRun: 'is not for commands of the platform' } } },
      });
    }
    expect(await execute(user.token, 'crm:create_lead', { payload: { name: 'A' }, dryRun: 'yes' })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { dryRun: 'must be true or false' } } },
    });
    const body = { payload: { name: 'A' }, dryRun: true };
    expect((await call('/api/meta/commands/validate/crm:create_lead', { token: user.token, body })).body.data).toEqual({
      valid: true,
      fieldErrors: {},
    });
  });
});
