import { call, execute, list, type Answered } from '../support/api.ts';
import { insert, newModel, newRole } from '../support/models.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

const answer = ({ status, body }: Answered) => ({ status, body });
const forbidden = (permission: string) => ({
  status: 403,
  body: { code: 'FORBIDDEN', message: 'Permission denied', data: { permission } },
});

describe('a missing permission', () => {
  it('is 403 FORBIDDEN with data.permission naming the code, on list, detail and command', async () => {
    const { token } = await newUser([], await newTenant());

    expect(answer(await list(token, 'leads'))).toEqual(forbidden('record:read:lead'));
    expect(answer(await list(token, 'leads', { pageSize: 0, filters: 'x' }))).toEqual(forbidden('record:read:lead'));
    expect(answer(await call('/api/dynamic/deals/01ARZ3NDEKTSV4RRFFQ69G5FAV', { token }))).toEqual(
      forbidden('record:read:deal'),
    );
    expect(answer(await execute(token, 'crm:create_lead', { payload: { nope: 1 } }))).toEqual(
      forbidden('command:execute:crm:create_lead'),
    );
  });

  it('is one that no role of the user grants', async () => {
    const { token } = await newUser(['VIEWER', 'NO_SUCH_ROLE', 'constructor'], await newTenant());

    expect((await list(token, 'leads')).status).toBe(200);
    expect(answer(await execute(token, 'crm:create_lead', { payload: { name: 'x' } }))).toEqual(
      forbidden('command:execute:crm:create_lead'),
    );
  });

  it('is none where several roles add up to it', async () => {
    const roles = [await newRole(['record:read:account']), await newRole(['record:read:deal'])];
    const { token } = await newUser(roles, await newTenant());

    expect((await list(token, 'accounts')).status).toBe(200);
    expect((await list(token, 'deals')).status).toBe(200);
    expect(answer(await list(token, 'leads'))).toEqual(forbidden('record:read:lead'));
  });

  it.each(['record:read:*', 'record:*', '*'])('is met by %s', async (code) => {
    const { token } = await newUser([await newRole([code])], await newTenant());

    expect((await list(token, 'leads')).status).toBe(200);
  });

  it.each(['record:read:leads', 'record:read:lea', 'record:read', 'command:*', 'field:read:*'])(
    'is not met by %s',
    async (code) => {
      const { token } = await newUser([await newRole([code])], await newTenant());

      expect(answer(await list(token, 'leads'))).toEqual(forbidden('record:read:lead'));
    },
  );

  it('is nothing that ADMIN knows in its tenant', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());

    expect((await execute(token, 'crm:create_lead', { payload: { name: 'x', score: 5 } })).body.data.score).toBe(5);
    expect((await list(token, 'leads', { sortField: 'score' })).body.data.total).toBe(1);
  });
});

describe('a field with readPermission, for who lacks it (lead.score, VIEWER)', () => {
  const needed = forbidden('field:read:lead.score');
  let tenant: TestTenant;
  let viewer: string;
  let pid: string;

  beforeEach(async () => {
    tenant = await newTenant();
    viewer = (await newUser(['VIEWER'], tenant)).token;
    [pid = ''] = await insert(tenant, 'lead', [{ name: 'Ada', score: 42 }, { name: 'Bea' }]);
  });

  it('is absent from list and detail, not null', async () => {
    const { body } = await list(viewer, 'leads', { sortField: 'name', sortOrder: 'asc' });
    const detail = await call(`/api/dynamic/leads/${pid}`, { token: viewer });

    expect(body.data).toMatchObject({ records: [{ name: 'Ada' }, { name: 'Bea' }], total: 2 });
    for (const record of [...body.data.records, detail.body.data]) expect(record).not.toHaveProperty('score');
    const sales = (await newUser(['SALES'], tenant)).token;
    expect((await call(`/api/dynamic/leads/${pid}`, { token: sales })).body.data.score).toBe(42);
  });

  it('cannot be filtered on: FORBIDDEN, wherever the condition stands and whatever it says', async () => {
    for (const filters of [
      [{ fieldName: 'score', operator: 'gt', value: 40 }],
      [{ fieldName: 'score', operator: 'is_null' }],
      [{ fieldName: 'score', operator: 'nonsense', value: {} }],
      [
        { fieldName: 'name', operator: 'eq', value: 'x' },
        { or: [{ not: { fieldName: 'score', op: 'eq', value: 1 } }] },
      ],
    ]) {
      for (const count of ['exact', 'none', 'estimate']) {
        expect(answer(await list(viewer, 'leads', { filters, count }))).toEqual(needed);
      }
    }
  });

  it('cannot be sorted by: FORBIDDEN', async () => {
    expect(answer(await list(viewer, 'leads', { sortField: 'score' }))).toEqual(needed);
    expect(answer(await list(viewer, 'leads', { sortField: 'score', sortOrder: 'asc', pageSize: 1 }))).toEqual(needed);
  });

  it("stays forbidden when another user's total for the same filter is cached", async () => {
    const { token } = await newUser(['SALES'], tenant);
    const filters = [{ fieldName: 'score', operator: 'gt', value: 40 }];
    for (let round = 0; round < 3; round += 1) {
      expect((await list(token, 'leads', { filters })).body.data.total).toBe(1);
      expect(answer(await list(viewer, 'leads', { filters }))).toEqual(needed);
    }
  });

  it('is absent from the answer of a command that its caller may execute', async () => {
    const { permissions } = await modelWithMargin();
    const { token } = await newUser([await newRole(permissions.slice(0, 2))], tenant);
    const command = permissions[1]?.replace('command:execute:', '') ?? '';

    const { body } = await execute(token, command, { payload: { name: 'x', margin: 'secret' } });

    expect(body.code).toBe('0');
    expect(body.data).toMatchObject({ name: 'x' });
    expect(body.data).not.toHaveProperty('margin');
  });

  it('is not searched by keyword, and the totals differ accordingly', async () => {
    const model = await modelWithMargin();
    const readers = [await newRole(model.permissions.slice(0, 1)), await newRole(model.permissions)];
    await insert(tenant, model.code, [
      { name: 'needle', margin: 'x' },
      { name: 'y', margin: 'a needle' },
    ]);
    const [without = '', withIt = ''] = await Promise.all(
      readers.map(async (role) => (await newUser([role], tenant)).token),
    );

    for (let round = 0; round < 3; round += 1) {
      const full = await list(withIt, model.code, { keyword: 'needle' });
      const part = await list(without, model.code, { keyword: 'needle' });
      expect(full.body.data).toMatchObject({ total: 2 });
      expect(part.body.data).toMatchObject({ records: [{ name: 'needle' }], total: 1 });
    }
  });
});

describe('a field with writePermission', () => {
  it('cannot be written without it: FORBIDDEN, on create and update, and nothing is written', async () => {
    const model = await newModel({
      fields: [
        { code: 'name', name: 'Name', type: 'string' },
        { code: 'price', name: 'Price', type: 'integer', default: 5, writePermission: true },
      ],
    });
    const tenant = await newTenant();
    const clerk = (await newUser([await newRole(model.permissions)], tenant)).token;
    const permission = `field:write:${model.code}.price`;
    const boss = (await newUser([await newRole([...model.permissions, permission])], tenant)).token;

    expect(answer(await execute(clerk, model.command, { payload: { name: 'x', price: 1 } }))).toEqual(
      forbidden(permission),
    );
    const created = await execute(clerk, model.command, { payload: { name: 'x' } });
    expect(created.body.data).toMatchObject({ name: 'x', price: 5 });
    const change = { operationType: 'UPDATE', targetRecordId: created.body.data.pid, payload: { price: 1 } };
    expect(answer(await execute(clerk, model.command, change))).toEqual(forbidden(permission));
    expect((await list(clerk, model.code)).body.data).toMatchObject({ records: [{ price: 5 }], total: 1 });
    expect((await execute(boss, model.command, change)).body.data).toMatchObject({ price: 1, version: 2 });
  });
});

/** Its permissions: to read records, to write them, to read the margin. */
async function modelWithMargin(): Promise<{ code: string; permissions: string[] }> {
  const model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', searchable: true },
      { code: 'margin', name: 'Margin', type: 'string', searchable: true, readPermission: true },
    ],
  });
  return { code: model.code, permissions: [...model.permissions, `field:read:${model.code}.margin`] };
}
