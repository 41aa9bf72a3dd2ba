import { ulid } from 'ulid';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, list } from '../support/api.ts';
import { insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const FIELDS: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string', unique: true },
  { code: 'due_on', name: 'Due', type: 'date' },
  { code: 'secret', name: 'Secret', type: 'string', readPermission: true },
];

let model: TestModel;
let tenant: TestTenant;
/** Reads and writes, but not the hidden field. */
let clerk: TestUser;
let admin: TestUser;

beforeAll(async () => {
  model = await newModel({ fields: FIELDS });
  tenant = await newTenant();
  clerk = await newUser([await newRole(model.permissions)], tenant);
  admin = await newUser(['ADMIN'], tenant);
});

const write = ({ token }: TestUser, body: object) => execute(token, model.command, body);
const create = async (payload: object): Promise<string> => (await write(admin, { payload })).body.data.pid as string;
const update = (user: TestUser, pid: string, payload: object) =>
  write(user, { operationType: 'UPDATE', targetRecordId: pid, payload });
const remove = (pid: string) => write(clerk, { operationType: 'DELETE', targetRecordId: pid });
const lifecycle = ({ token }: TestUser, command: 'restore' | 'purge', pid: string, rest: object = {}) =>
  execute(token, `record:${command}`, { payload: { modelCode: model.code, pid, ...rest } });
const history = ({ token }: TestUser, pid: string, query = '') =>
  call(`/api/dynamic/${model.code}/${pid}/history${query}`, { token });
const trash = ({ token }: TestUser, query = '') => call(`/api/dynamic/${model.code}/trash${query}`, { token });

describe('GET /api/dynamic/{pageKey}/{recordId}/history', () => {
  it('says who changed what, when and with which command, the newest first, also of a deleted record', async () => {
    const pid = await create({ name: ulid(), due_on: '2026-01-31', secret: 'x' });
    const changed = await update(clerk, pid, { due_on: '2026-02-01' });
    await remove(pid);

    const { body } = await history(admin, pid);

    expect(body.data).toMatchObject({
      nextCursor: null,
      records: [
        { action: 'DELETE', changes: { secret: { from: 'x', to: null } } },
        {
          at: expect.stringMatching(/Z$/),
          actor: { userPid: clerk.pid, username: clerk.email },
          action: 'UPDATE',
          commandCode: model.command,
          executionPid: changed.headers.get('x-execution-pid'),
          traceId: changed.headers.get('x-trace-id'),
          changes: { due_on: { from: '2026-01-31', to: '2026-02-01' } },
        },
        { action: 'CREATE', changes: { due_on: { from: null, to: '2026-01-31' }, secret: { from: null, to: 'x' } } },
      ],
    });
    expect(Object.keys(body.data.records[1].changes)).toEqual(['due_on']);
  });

  it('leaves out what the caller may not read', async () => {
    const pid = await create({ name: ulid(), secret: 'x' });
    await update(admin, pid, { secret: 'y' });

    const { body } = await history(clerk, pid);

    expect(body.data.records).toMatchObject([{ changes: {} }, { changes: { name: expect.anything() } }]);
    expect(JSON.stringify(body.data)).not.toContain('secret');
  });

  it('goes on from its cursor, and finds no record of another tenant', async () => {
    const pid = await create({ name: ulid() });
    await update(clerk, pid, { due_on: '2026-02-01' });

    const first = (await history(clerk, pid, '?pageSize=1')).body.data;
    const second = (await history(clerk, pid, `?pageSize=1&cursor=${first.nextCursor}`)).body.data;

    expect([first.records, second.records]).toMatchObject([[{ action: 'UPDATE' }], [{ action: 'CREATE' }]]);
    expect(second.nextCursor).toBeNull();
    const stranger = await newUser(['ADMIN'], await newTenant());
    expect((await history(stranger, pid)).body).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('GET /api/dynamic/{pageKey}/trash and record:restore', () => {
  it('takes the filters, the keyword and the order of a list', async () => {
    const mark = ulid();
    const gone = [];
    for (const letter of ['b', 'a', 'c']) gone.push(await create({ name: `${mark}${letter}` }));
    for (const pid of gone) await remove(pid);
    const found = async (query: Record<string, string>) =>
      ((await trash(clerk, `?${new URLSearchParams(query).toString()}`)).body.data.records as { name: string }[]).map(
        ({ name }) => name.replace(mark, ''),
      );
    const filters = JSON.stringify([{ fieldName: 'name', operator: 'starts_with', value: mark }]);

    expect(await found({ filters })).toEqual(['c', 'a', 'b']);
    expect(await found({ filters, sortField: 'name', sortOrder: 'asc' })).toEqual(['a', 'b', 'c']);
    expect(await found({ filters, sortFields: '[{"fieldName":"name","order":"desc"}]' })).toEqual(['c', 'b', 'a']);
    expect(
      await found({ filters: JSON.stringify([{ fieldName: 'name', value: `${mark}a`, operator: 'eq' }]) }),
    ).toEqual(['a']);
    const wrong = await trash(
      clerk,
      '?filters=[{"fieldName":"nope","operator":"eq","value":1}]&sortField=nope2&cursor=x',
    );
    expect(Object.keys(wrong.body.data.fieldErrors).sort()).toEqual(['nope', 'sortField']);
    expect(wrong.headers.get('x-ignored-params')).toBe('cursor');
  });

  it('lists deleted records with who deleted them, and brings one back', async () => {
    const [kept, gone] = [await create({ name: ulid() }), await create({ name: ulid(), secret: 'x' })];
    await remove(gone);

    const { records, total } = (await trash(clerk)).body.data;
    const expanded = { deleted_by: { pid: clerk.pid, username: clerk.email } };
    expect(records[0]).toMatchObject({ pid: gone, deleted_at: expect.any(String), deleted_by: clerk.pid, expanded });
    expect(records[0]).not.toHaveProperty('secret');
    expect(records.map(({ pid }: { pid: string }) => pid)).not.toContain(kept);
    expect((await trash(clerk, `?pageSize=1&pageNum=${total + 1}`)).body.data).toMatchObject({ records: [], total });

    expect((await lifecycle(clerk, 'restore', gone)).body).toMatchObject({
      code: 'FORBIDDEN',
      data: { permission: `record:restore:${model.code}` },
    });
    const before = (await list(clerk.token, model.code)).body.data.total as number;
    const restored = (await lifecycle(admin, 'restore', gone)).body.data;
    expect(restored).toMatchObject({ pid: gone, version: 3, secret: 'x' });
    expect((await list(clerk.token, model.code)).body.data.total).toBe(before + 1);
    expect((await history(clerk, gone)).body.data.records[0]).toMatchObject({
      action: 'RESTORE',
      commandCode: 'record:restore',
    });
    expect((await lifecycle(admin, 'restore', gone)).body).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuses a record whose unique value another one has by now', async () => {
    const name = ulid();
    const gone = await create({ name });
    await remove(gone);
    await create({ name });

    expect((await lifecycle(admin, 'restore', gone)).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'UNIQUE', fieldErrors: { name: expect.any(String) } },
    });
  });
});

describe('record:revert', () => {
  const revert = ({ token }: TestUser, pid: string, rest: object) =>
    execute(token, 'record:revert', { payload: { modelCode: model.code, pid, ...rest } });

  it('gives a record the values of an earlier version, as a change of its own', async () => {
    const [first, second] = [ulid(), ulid()];
    const pid = await create({ name: first, due_on: '2026-01-31', secret: 'x' });
    await update(admin, pid, { name: second, secret: 'y' });
    await update(clerk, pid, { due_on: null });

    const { body } = await revert(admin, pid, { version: 1, expectedVersion: 3 });

    const values = { name: first, due_on: '2026-01-31', secret: 'x', version: 4 };
    expect(body).toMatchObject({ code: '0', data: { record: { pid, ...values }, skipped: [] } });
    const { records } = (await history(admin, pid)).body.data;
    expect(records[0]).toMatchObject({ commandCode: 'record:revert', action: 'UPDATE', version: 4 });
    expect(records.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2, 1]);
    const next = (await history(admin, pid, '?pageSize=2')).body.data.nextCursor as string;
    const rest = (await history(admin, pid, `?cursor=${next}`)).body.data.records;
    expect(rest.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect((await revert(admin, pid, { version: 2 })).body.data.record).toMatchObject({ name: second, version: 5 });
  });

  it('says which fields keep their values, but nothing of those that the caller may not read', async () => {
    const [first, second] = [ulid(), ulid()];
    const pid = await create({ name: first, due_on: '2026-01-31', secret: 'x' });
    await update(admin, pid, { name: second, due_on: null, secret: 'y' });
    await create({ name: first });
    const editor = await newUser([await newRole([...model.permissions, `record:write:${model.code}`])], tenant);

    const { body } = await revert(editor, pid, { version: 1 });

    expect(body.data).toMatchObject({ record: { name: second, due_on: '2026-01-31', version: 3 } });
    expect(body.data.skipped).toEqual([{ field: 'name', code: 'CONFLICT' }]);
    expect((await call(`/api/dynamic/${model.code}/${pid}`, { token: admin.token })).body.data.secret).toBe('y');
  });

  it('is refused without its permission, for another version, and where nothing is known of the version', async () => {
    const pid = await create({ name: ulid() });

    expect((await revert(clerk, pid, { version: 1 })).body).toMatchObject({
      code: 'FORBIDDEN',
      data: { permission: `record:write:${model.code}` },
    });
    for (const [body, reason] of [
      [{ version: 2 }, 'VERSION'],
      [{ version: 1, expectedVersion: 7 }, 'VERSION'],
    ] as const) {
      expect((await revert(admin, pid, body)).body).toMatchObject({ code: 'CONFLICT', data: { reason } });
    }
    expect((await revert(admin, pid, { version: 0 })).body).toMatchObject({
      data: { fieldErrors: { version: expect.anything() } },
    });
    const [seeded = ''] = await insert(tenant, model.code, [{ name: ulid() }]);
    await runSql(`update dev.mt_${model.code} set version = 5 where pid = '${seeded}'`);
    expect((await revert(admin, seeded, { version: 2 })).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'HISTORY' },
    });
    const stranger = await newUser(['ADMIN'], await newTenant());
    expect((await revert(stranger, pid, { version: 1 })).body).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('record:purge', () => {
  it('erases a deleted record, its history and its payloads everywhere, and is audited', async () => {
    const word = `word-${ulid()}`;
    const pid = await create({ name: word });
    await update(clerk, pid, { due_on: '2026-02-01' });
    expect((await lifecycle(admin, 'purge', pid)).body).toMatchObject({ code: 'CONFLICT', data: { reason: 'STATE' } });
    await remove(pid);
    expect((await lifecycle(clerk, 'purge', pid)).body).toMatchObject({ code: 'FORBIDDEN' });

    const { body } = await lifecycle(admin, 'purge', pid, { reason: 'asked for erasure' });

    expect(body).toMatchObject({ code: '0', data: { pid } });
    const tables = await runSql<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and (n.nspname = 'platform' or n.nspname = 'dev' and c.relname = $1)`,
      [`mt_${model.code}`],
    );
    for (const { name } of tables) {
      const found = await runSql(`select 1 from ${name} t where to_jsonb(t)::text like $1`, [`%${word}%`]);
      expect([name, found]).toEqual([name, []]);
    }
    expect((await history(admin, pid)).body).toMatchObject({ code: 'NOT_FOUND' });
    const audited = await runSql('select action, reason, after from platform.audit_entry where target_pid = $1', [pid]);
    expect(audited).toEqual([
      { action: 'record.purge', reason: 'asked for erasure', after: { modelCode: model.code } },
    ]);
  });

  it('says what is wrong with its payload', async () => {
    const { body } = await execute(admin.token, 'record:purge', { payload: { pid: 1, other: 2 } });
    expect(Object.keys(body.data.fieldErrors).sort()).toEqual(['modelCode', 'other', 'pid']);
  });
});
