import { connect } from 'node:net';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call } from '../support/api.ts';
import { anotherNode } from '../support/nodes.ts';
import { insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const fields: FieldContent[] = [
  { code: 'name', name: 'Name of it', type: 'string', searchable: true },
  { code: 'state', name: 'State', type: 'enum', values: ['open', 'done'] },
  { code: 'amount', name: 'Amount', type: 'decimal' },
  { code: 'secret', name: 'Secret', type: 'integer', readPermission: true },
];

let tenant: TestTenant;
let model: TestModel;
let reader: TestUser;
let boss: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  model = await newModel({ fields });
  const role = await newRole(model.permissions);
  const all = await newRole([...model.permissions, `field:read:${model.code}.secret`]);
  [reader, boss] = await Promise.all([newUser([role], tenant), newUser([all], tenant)]);
  await insert(tenant, model.code, [
    { name: '=1+1', state: 'open', amount: '-1.50', secret: 1 },
    { name: 'b, "c"', state: 'open', amount: '3', secret: 2 },
    { name: 'd', state: 'done', amount: null, secret: 3 },
  ]);
  await insert(await newTenant(), model.code, [{ name: 'foreign', state: 'open' }]);
});

interface Exported {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function exported(
  { token }: TestUser,
  query: Record<string, string>,
  pageKey = model.code,
  baseUrl = process.env.KEELSON_TEST_URL ?? '',
): Promise<Exported> {
  const url = `${baseUrl}/api/dynamic/${pageKey}/export?${new URLSearchParams(query).toString()}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const errorsOf = ({ status, text }: Exported) => ({ status, errors: JSON.parse(text).data?.fieldErrors });
const byName = { sortField: 'name', sortOrder: 'asc' };

describe('GET /api/dynamic/{pageKey}/export', () => {
  it('answers CSV: the fields that are named, in their order, with formulas disarmed', async () => {
    const answer = await exported(reader, { format: 'csv', fields: 'amount,name', ...byName });
    expect(answer.text).toBe('amount,name\r\n-1.50,\'=1+1\r\n3,"b, ""c"""\r\n,d\r\n');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${model.code}.csv"`);
  });

  it('begins with a byte order mark and has labels for titles on request', async () => {
    const response = await exported(reader, { format: 'csv', fields: 'name,state', header: 'labels', bom: 'true' });
    expect(response.text.startsWith('Name of it,State\r\n')).toBe(true);
    const raw = await fetch(
      `${process.env.KEELSON_TEST_URL}/api/dynamic/${model.code}/export?format=csv&bom=true&fields=name`,
      { headers: { authorization: `Bearer ${reader.token}` } },
    );
    expect([...new Uint8Array(await raw.arrayBuffer())].slice(0, 3)).toEqual([0xef, 0xbb, 0xbf]);
  });

  it('answers one JSON object per line, whole records where no fields are named', async () => {
    const { text, headers } = await exported(reader, { format: 'ndjson', ...byName });
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const listed = await call(`/api/dynamic/${model.code}/list?sortField=name&sortOrder=asc`, { token: reader.token });
    expect(records).toEqual(listed.body.data.records);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  });

  it('obeys filters, keyword, the tenant and hidden fields', async () => {
    const filters = JSON.stringify([{ fieldName: 'state', operator: 'eq', value: 'open' }]);
    expect((await exported(reader, { format: 'csv', fields: 'name', filters, keyword: 'c' })).text).toBe(
      'name\r\n"b, ""c"""\r\n',
    );
    const [titles] = (await exported(reader, { format: 'csv' })).text.split('\r\n');
    expect(titles).toBe('id,pid,tenant_id,created_at,created_by,updated_at,updated_by,version,name,state,amount');
    const hidden = await exported(reader, { format: 'csv', fields: 'secret' });
    expect(hidden).toMatchObject({ status: 403 });
    expect(JSON.parse(hidden.text).data.permission).toBe(`field:read:${model.code}.secret`);
    expect(
      (await exported(boss, { format: 'csv', fields: 'secret', sortField: 'secret', sortOrder: 'asc' })).text,
    ).toBe('secret\r\n1\r\n2\r\n3\r\n');
    const stranger = await newUser([], tenant);
    expect(await exported(stranger, { format: 'csv' })).toMatchObject({ status: 403 });
  });

  it('takes conditions, order and columns of a view', async () => {
    const view = await call('/api/views', {
      token: reader.token,
      body: {
        name: 'V',
        pageKey: model.code,
        conditions: [{ fieldName: 'state', operator: 'eq', value: '$params.state' }],
        sortFields: [{ fieldName: 'name', order: 'desc' }],
        columns: ['state', 'name'],
      },
    });
    const viewId = view.body.data.pid as string;
    const extraParams = JSON.stringify({ state: 'open' });
    expect((await exported(reader, { format: 'csv', viewId, extraParams })).text).toBe(
      'state,name\r\nopen,"b, ""c"""\r\nopen,\'=1+1\r\n',
    );
    expect(errorsOf(await exported(boss, { format: 'csv', viewId }))).toEqual({
      status: 400,
      errors: { viewId: 'There is no such view' },
    });
  });

  it('expands relations for ndjson alone', async () => {
    const related: FieldContent = { code: 'of', name: 'Of', type: 'relation', target: model.code };
    const other = await newModel({ fields: [...fields.slice(0, 1), related] });
    const user = await newUser([await newRole([...model.permissions, ...other.permissions])], tenant);
    const target = (await exported(reader, { format: 'ndjson', fields: 'pid,name', keyword: 'd' })).text;
    await insert(tenant, other.code, [{ name: 'x', of: JSON.parse(target).pid }]);

    const { text } = await exported(user, { format: 'ndjson', fields: 'name', expand: 'of' }, other.code);
    expect(JSON.parse(text)).toMatchObject({ name: 'x', expanded: { of: { name: 'd' } } });
    expect(errorsOf(await exported(user, { format: 'csv', expand: 'of' }, other.code))).toEqual({
      status: 400,
      errors: { expand: 'is for ndjson alone' },
    });
  });

  it('names what it ignores, and refuses what is wrong', async () => {
    const answer = await exported(reader, { format: 'csv', fields: 'name', pageNum: '2', page: '1' });
    expect(answer.headers.get('x-ignored-params')).toBe('pageNum, page');
    expect(errorsOf(await exported(reader, { format: 'pdf', filters: '[' }))).toMatchObject({
      status: 400,
      errors: { format: expect.any(String), filters: 'is not valid JSON' },
    });
    expect(await exported(reader, { format: 'csv' }, 'nothing')).toMatchObject({ status: 404 });
  });

  it('answers XLSX as a whole zip file', async () => {
    const response = await fetch(`${process.env.KEELSON_TEST_URL}/api/dynamic/${model.code}/export?format=xlsx`, {
      headers: { authorization: `Bearer ${reader.token}` },
    });
    const file = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toContain('spreadsheetml');
    expect(file.lastIndexOf('PK\u0005\u0006')).toBe(file.length - 22);
  });

  it('answers HEAD without records', async () => {
    const response = await fetch(`${process.env.KEELSON_TEST_URL}/api/dynamic/${model.code}/export?format=xlsx`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${reader.token}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('spreadsheetml');
  });
});

describe('an export of many records', () => {
  const COUNT = 30_000;
  let large: TestModel;
  let user: TestUser;

  beforeAll(async () => {
    large = await newModel({ fields: fields.slice(0, 3) });
    user = await newUser([await newRole(large.permissions)], tenant);
    const names = Array.from({ length: COUNT }, (_, index) => ({
      name: `${String(index).padStart(6, '0')} ${'x'.repeat(200)}`,
      amount: index % 3 === 0 ? null : String(index % 100),
    }));
    for (let at = 0; at < COUNT; at += 5_000) await insert(tenant, large.code, names.slice(at, at + 5_000));
  });

  it('has each of them once, whatever the order, on any node', async () => {
    const query = { format: 'csv', fields: 'name', sortField: 'amount', sortOrder: 'asc' };
    const { text } = await exported(user, query, large.code, await anotherNode());
    const lines = text.trimEnd().split('\r\n').slice(1);
    expect(new Set(lines).size).toBe(COUNT);
    expect(lines).toHaveLength(COUNT);
  });

  it('breaks its connection where it fails in the middle: no part looks like the whole', async () => {
    const table = `mt_${large.code}`;
    const url = `${process.env.KEELSON_TEST_URL}/api/dynamic/${large.code}/export?format=ndjson`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${user.token}` } });
    await runSql(`alter table dev.${table} rename to ${table}_gone`, []);
    try {
      await expect(response.text()).rejects.toThrow('terminated');
    } finally {
      await runSql(`alter table dev.${table}_gone rename to ${table}`, []);
    }
  });

  it('is limited: a third one at a time is 429', async () => {
    const path = `/api/dynamic/${large.code}/export?format=csv`;
    const slow = [await openSlowly(path, user), await openSlowly(path, user)];
    expect(await exported(user, { format: 'csv' }, large.code)).toMatchObject({ status: 429 });
    for (const one of slow) one.close();
    let { status } = await exported(user, { format: 'csv', fields: 'pid' }, large.code);
    for (let tries = 0; status === 429 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      ({ status } = await exported(user, { format: 'csv', fields: 'pid' }, large.code));
    }
    expect(status).toBe(200);
  });
});

/** Asks for a path and reads no more than the headers of the answer. */
async function openSlowly(path: string, { token }: TestUser): Promise<{ close(): void }> {
  const { hostname, port } = new URL(process.env.KEELSON_TEST_URL ?? '');
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.pause();
  return { close: () => socket.destroy() };
}
