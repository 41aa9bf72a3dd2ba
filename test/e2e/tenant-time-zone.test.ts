import { dayIn } from '../../src/foundation/time/time-zones.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, expectRefusal } from '../support/api.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { newModel, save, type TestModel } from '../support/models.ts';
import { anotherNode } from '../support/nodes.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/** A zone that has another day than UTC now, for at least an hour. */
const ZONE = new Date().getUTCHours() >= 11 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago';
const today = () => dayIn(new Date(), ZONE);

const fields: FieldContent[] = [
  { code: 'day', name: 'Day', type: 'date', default: '$today' },
  { code: 'at', name: 'At', type: 'datetime' },
  { code: 'number', name: 'Number', type: 'string', sequence: { prefix: '{yyyy}{MM}-', per: 'month' } },
];

let tenant: TestTenant;
let user: TestUser;
let admin: TestUser;
let model: TestModel;
let pid: string;
const setZone = (timeZone: unknown) =>
  call(`/api/admin/tenants/${pid}`, { method: 'PATCH', token: admin.token, body: { timeZone } });

beforeAll(async () => {
  tenant = await newTenant();
  [user, admin] = await Promise.all([newUser(['ADMIN'], tenant), newUser(['PLATFORM_ADMIN'], await newTenant())]);
  model = await newModel({ fields });
  const [row] = await runSql<{ pid: string }>('select pid from platform.tenant where id = $1', [tenant.id]);
  pid = row?.pid ?? '';
  expect(dataOf(await setZone(ZONE))).toMatchObject({ pid, timeZone: ZONE });
});

const create = async (payload: object) => dataOf(await execute(user.token, model.command, { payload }));
const found = async (conditions: unknown) => {
  const filters = encodeURIComponent(JSON.stringify(conditions));
  const path = `/api/dynamic/${model.code}/list?fields=pid&filters=${filters}`;
  return (dataOf(await call(path, { token: user.token })).records as { pid: string }[]).map((record) => record.pid);
};

describe('the time zone of a tenant', () => {
  it('is that of new tenants by name, and UTC of others', async () => {
    const name = `Zoned ${pid}`;
    const made = await call('/api/admin/tenants', { token: admin.token, body: { name, timeZone: 'Asia/Shanghai' } });
    expect(dataOf(made)).toMatchObject({ timeZone: 'Asia/Shanghai' });
    const plain = await call('/api/admin/tenants', { token: admin.token, body: { name: `${name} plain` } });
    expect(dataOf(plain)).toMatchObject({ timeZone: 'UTC' });
    for (const wrong of ['Asia/Shangai', '+08:00', '']) {
      expectRefusal(await setZone(wrong), 'VALIDATION_ERROR', {
        fieldErrors: { timeZone: 'is not a time zone such as Asia/Shanghai' },
      });
    }
    const [entry] = await runSql('select before, after from platform.audit_entry where target_pid = $1', [pid]);
    expect(entry).toMatchObject({ before: { timeZone: 'UTC' }, after: { timeZone: ZONE } });
  });

  it('is told by the application, on every node at once', async () => {
    const nodes = [undefined, await anotherNode()];
    const zones = async () => {
      const told: string[] = [];
      for (const baseUrl of nodes) {
        const app = await call('/api/meta/app', { token: user.token, ...(baseUrl !== undefined && { baseUrl }) });
        told.push(dataOf(app).timeZone);
      }
      return told;
    };
    expect(await zones()).toEqual([ZONE, ZONE]);
    dataOf(await setZone('Europe/Berlin'));
    expect(await zones()).toEqual(['Europe/Berlin', 'Europe/Berlin']);
    dataOf(await setZone(ZONE));
    expect(await zones()).toEqual([ZONE, ZONE]);
  });

  it('decides which day it is: in defaults, conditions and numbers, unless another zone is named', async () => {
    const { pid: own, day, number } = await create({});
    const [year = '', month = ''] = today().split('-');
    expect({ day, number }).toEqual({ day: today(), number: expect.stringMatching(`^${year}${month}-\\d+$`) });
    expect(await found([{ fieldName: 'day', operator: 'eq', value: '$today' }])).toContain(own);
    expect(await found([{ fieldName: 'day', operator: 'eq', value: '$today(UTC)' }])).not.toContain(own);
    expect(await found([{ fieldName: 'day', operator: 'eq', value: '$now' }])).toContain(own);

    const start = `${today()}T00:00:00`;
    const asked = await importOf(`at\n${start}\n`);
    const [first] = asked;
    expect(await found([{ fieldName: 'at', operator: 'eq', value: '$today' }])).toEqual([first]);
    expect(await found([{ fieldName: 'at', operator: 'eq', value: '$today(UTC)' }])).toEqual([]);
  });

  it('decides what date and timestamp mean in commands', async () => {
    const code = `test:zoned_${model.code}`;
    await save('dev', {
      resourceType: 'COMMAND',
      code,
      content: {
        name: 'Zoned',
        modelCode: model.code,
        operations: ['CUSTOM'],
        payload: [{ code: 'day', name: 'Day', type: 'date', default: '$today' }],
        steps: [{ id: 'none', type: 'set', values: { one: '1' } }],
        result: {
          today: 'date(now)',
          utc: 'date(now, "UTC")',
          given: 'payload.day',
          start: 'timestamp("2026-01-31")',
          shanghai: 'timestamp("2026-01-31", "Asia/Shanghai")',
          again: 'date(timestamp(payload.day))',
        },
      },
    });
    const hours = ZONE === 'Pacific/Kiritimati' ? '2026-01-30T10:00:00.000Z' : '2026-01-31T11:00:00.000Z';
    expect(dataOf(await execute(user.token, code, { payload: {} }))).toEqual({
      today: today(),
      utc: dayIn(new Date(), 'UTC'),
      given: today(),
      start: hours,
      shanghai: '2026-01-30T16:00:00.000Z',
      again: today(),
    });
    const other = await newUser(['ADMIN'], await newTenant());
    expect(dataOf(await execute(other.token, code, { payload: {} }))).toMatchObject({
      today: dayIn(new Date(), 'UTC'),
      start: '2026-01-31T00:00:00.000Z',
    });
  });

  it('cuts moments in figures, unless the group names another', async () => {
    const own = await newModel({ fields });
    const at = '2026-06-30T12:00:00Z';
    dataOf(await execute(user.token, own.command, { payload: { at } }));
    const days = async (group: object) => {
      const body = { groupBy: [{ fieldName: 'at', part: 'day', as: 'd', ...group }] };
      return dataOf(await call(`/api/dynamic/${own.code}/aggregate`, { token: user.token, body })).rows[0].d as string;
    };
    expect(await days({})).toBe(dayIn(new Date(at), ZONE));
    expect(await days({ timeZone: 'UTC' })).toBe('2026-06-30');
  });

  it('is that of moments in files: what an XLSX shows is read back as it was', async () => {
    const own = await newModel({ fields });
    dataOf(await execute(user.token, own.command, { payload: { at: '2026-06-30T12:34:00Z' } }));
    const path = `${process.env.KEELSON_TEST_URL ?? ''}/api/dynamic/${own.code}/export?format=xlsx&fields=at`;
    const exported = await fetch(path, { headers: { authorization: `Bearer ${user.token}` } });
    const content = Buffer.from(await exported.arrayBuffer());
    const asked = await askForImport(user, { pageKey: own.code, content, format: 'xlsx', body: { mode: 'create' } });
    expect(await endedImport(user, dataOf(asked).importPid)).toMatchObject({ created: 1, failed: 0 });
    const rows = await runSql(`select distinct at from dev.mt_${own.code}`);
    expect(rows).toHaveLength(1);
  });
});

/** The pids of the records that a file makes. */
async function importOf(content: string): Promise<string[]> {
  const before = new Set(await found([]));
  const asked = await askForImport(user, { pageKey: model.code, content, body: { mode: 'create' } });
  expect(await endedImport(user, dataOf(asked).importPid)).toMatchObject({ failed: 0 });
  return (await found([])).filter((one) => !before.has(one));
}
