import { text } from 'node:stream/consumers';
import { ulid } from 'ulid';
import type { RecordService } from '../../src/features/records/service/records.service.ts';
import type { OutboxEvent } from '../../src/platform/events/outbox/outbox.ts';
import { recordEventsOf } from '../../src/platform/events/changes/record-events.ts';
import { actorOf, type Actor } from '../../src/platform/auth/requests/actor.ts';
import { rowsOf } from '../support/faults.ts';
import { insert, newModel, type TestModel } from '../support/models.ts';
import { container, newTenant, type TestTenant } from '../support/world.ts';

let service: RecordService;
let model: TestModel;
let tenant: TestTenant;
let actor: Actor;

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => error,
  );
const rows = () => rowsOf(tenant.id, `select * from dev.mt_${model.code} where deleted_at is null order by id`);
const changes = () => rowsOf(tenant.id, 'select action, record_pid from platform.change_log order by id');
const numbered = (count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}`, code: `${prefix}${index}` }));
const createAll = async (count: number): Promise<string[]> => {
  const { results } = await service.batchCreate(actor, model.code, numbered(count));
  return results.map(({ data }) => String((data as { pid: string }).pid));
};
const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const { database } = await container();
  const before = database.statements;
  await work();
  return database.statements - before;
};

beforeAll(async () => {
  const application = await container();
  service = application.recordService;
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', required: true },
      { code: 'code', name: 'Code', type: 'string', unique: true },
      { code: 'size', name: 'Size', type: 'integer' },
      { code: 'other', name: 'Other', type: 'relation', target: 'lead' },
      { code: 'at', name: 'At', type: 'datetime' },
      { code: 'extra', name: 'Extra', type: 'json' },
      { code: 'flag', name: 'Flag', type: 'boolean' },
      { code: 'owner', name: 'Owner', type: 'user', default: '$user.pid' },
    ],
  });
});

beforeEach(async () => {
  tenant = await newTenant();
  const { snapshots } = await container();
  const user = { userId: '1', userPid: ulid(), username: 'u', tenantId: tenant.id, roles: ['ADMIN'] };
  actor = actorOf({ ...user, keyMadeBy: null }, await snapshots.current('dev'));
});

describe('batchCreate', () => {
  it('creates all in their order, with change log and events, in as many statements as for one', async () => {
    const one = await statementsOf(() => service.batchCreate(actor, model.code, numbered(1, 'x')));
    const values = { size: 3, at: '2026-01-01T00:00:00.000Z', extra: [{ x: '\\"' }], flag: false };
    const items = numbered(500).map((item) => ({ ...item, ...values }));
    const many = await statementsOf(() => service.batchCreate(actor, model.code, items));

    expect(many).toBe(one);
    const written = (await rows()).slice(1);
    expect(written.map(({ name }) => name)).toEqual(items.map(({ name }) => name));
    expect(written[499]).toMatchObject({ ...values, owner: actor.userPid, version: 1, created_by: actor.userPid });
    expect((await changes()).slice(1).map(({ record_pid: pid }) => pid)).toEqual(written.map(({ pid }) => pid));
    const { database } = await container();
    const [, event = {} as OutboxEvent] = await database.query<OutboxEvent>(
      'select * from platform.event where tenant_id = $1 order by id',
      [tenant.id],
    );
    const derived = await database.transaction((open) => recordEventsOf(open, [event], () => true));
    const generic = derived.get(event.pid) ?? [];
    expect(generic.map(({ eventType, recordPid }) => [eventType, recordPid])).toEqual(
      written.map(({ pid }) => ['record.created', pid]),
    );
    expect(JSON.parse(generic[7]?.body ?? '')).toMatchObject({ payload: { name: 'n7' }, result: { name: 'n7' } });
  });

  it('atomic: creates none where one is refused, and names that', async () => {
    const items = numbered(20);
    const broken = items.map((item, index) => (index === 13 ? { ...item, code: 'n4' } : item));
    expect(await refusal(service.batchCreate(actor, model.code, broken))).toMatchObject({
      code: 'CONFLICT',
      data: { index: 13, reason: 'UNIQUE', fieldErrors: { code: 'is taken' } },
    });
    const wrong = items.map((item, index) => (index === 5 ? { name: null } : item));
    expect(await refusal(service.batchCreate(actor, model.code, wrong))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { index: 5, fieldErrors: { name: 'is required' } },
    });
    expect([await rows(), await changes()]).toEqual([[], []]);
  });

  it('partial: creates what can be, and says of each what became of it', async () => {
    await service.create(actor, model.code, { name: 'there', code: 'n3' });
    const items = [...numbered(10), { name: 'again', code: 'n8' }, { name: 'bad', other: ulid() }, { name: 5 }];

    const { succeeded, failed, results } = await service.batchCreate(actor, model.code, items, 'partial');

    expect([succeeded, failed]).toEqual([9, 4]);
    expect(results.map(({ index }) => index)).toEqual(items.map((_, index) => index));
    expect(results.filter(({ code }) => code !== '0')).toMatchObject([
      { index: 3, code: 'CONFLICT', data: { fieldErrors: { code: 'is taken' } } },
      { index: 10, code: 'CONFLICT', data: { fieldErrors: { code: 'is taken' } } },
      { index: 11, code: 'VALIDATION_ERROR', data: { fieldErrors: { other: expect.anything() } } },
      { index: 12, code: 'VALIDATION_ERROR', data: { fieldErrors: { name: expect.anything() } } },
    ]);
    expect((await rows()).map(({ name }) => name)).toEqual(['there', 'n0', 'n1', 'n2', ...names(4, 9)]);
    expect((await changes()).length).toBe(10);
  });

  it('takes 1 to 500 items', async () => {
    for (const count of [0, 501]) {
      const refused = service.batchCreate(actor, model.code, numbered(count));
      expect(await refusal(refused)).toMatchObject({ data: { fieldErrors: { items: expect.anything() } } });
    }
  });
});

function names(from: number, to: number): string[] {
  return numbered(to + 1)
    .slice(from)
    .map(({ name }) => name);
}

describe('batchUpdate and batchDelete', () => {
  it('write all in as many statements as for one', async () => {
    const pids = await createAll(500);
    const [single = '', ...others] = pids;
    const change = (pid: string, index: number) => ({ pid, data: { size: index, extra: { index } } });

    const oneUpdate = await statementsOf(() => service.batchUpdate(actor, model.code, [change(single, 0)]));
    expect(await statementsOf(() => service.batchUpdate(actor, model.code, others.map(change)))).toBe(oneUpdate);
    expect((await rows()).map(({ size, extra, version }) => [size, extra, version])).toEqual([
      [0, { index: 0 }, 2],
      ...others.map((_, index) => [index, { index }, 2]),
    ]);
    const oneDelete = await statementsOf(() => service.batchDelete(actor, model.code, [{ pid: single }]));
    const rest = others.map((pid) => ({ pid }));
    expect(await statementsOf(() => service.batchDelete(actor, model.code, rest))).toBe(oneDelete);
    expect(await rows()).toEqual([]);
    expect((await changes()).length).toBe(1_500);
  });

  it('partial: what is missing, of another tenant or changed meanwhile is named, the rest is written', async () => {
    const pids = await createAll(4);
    const [foreign = ''] = await insert(await newTenant(), model.code, [{ name: 'theirs' }]);
    const targets = [
      { pid: pids[0] ?? '' },
      { pid: foreign },
      { pid: pids[1] ?? '', expectedVersion: 9 },
      { pid: pids[2] ?? '', expectedVersion: 1 },
    ];

    const updated = await service.batchUpdate(
      actor,
      model.code,
      targets.map((target) => ({ ...target, data: { size: 1 } })),
      'partial',
    );
    expect(updated.results.map(({ code }) => code)).toEqual(['0', 'NOT_FOUND', 'CONFLICT', '0']);
    const deleted = await service.batchDelete(actor, model.code, targets, 'partial');
    expect(deleted.results.map(({ code }) => code)).toEqual(['0', 'NOT_FOUND', 'CONFLICT', 'CONFLICT']);
    expect((await rows()).map(({ name }) => name)).toEqual(['n1', 'n2', 'n3']);
    const twice = [{ pid: pids[1] ?? '' }, { pid: pids[1] ?? '' }];
    expect(await refusal(service.batchDelete(actor, model.code, twice))).toMatchObject({
      data: { fieldErrors: { 'items.1.pid': 'is named twice' } },
    });
  });
});

describe('the background-worker variant', () => {
  it('takes an explicit tenant on every call, and sees and writes nothing of another', async () => {
    const { workerRecords } = await container();
    const worker = workerRecords('dev');
    const other = await newTenant();

    const created = await worker.create(tenant.id, model.code, { name: 'a', code: 'A' });

    expect(created).toMatchObject({ name: 'a', tenant_id: tenant.id, created_by: 'system', version: 1 });
    const pid = String(created.pid);
    expect(await worker.getById(tenant.id, model.code, pid)).toEqual(created);
    expect(await worker.getById(other.id, model.code, pid)).toBeNull();
    expect(await worker.list(other.id, model.code, {})).toMatchObject({ records: [], total: 0 });
    expect(await refusal(worker.update(other.id, model.code, { pid, data: {} }))).toMatchObject({ code: 'NOT_FOUND' });
    await worker.batchCreate(other.id, model.code, [{ name: 'b', code: 'A' }]);
    expect((await worker.list(tenant.id, model.code, {})).total).toBe(1);
    const file = await worker.export(tenant.id, model.code, { format: 'csv', fields: ['name', 'code'] });
    expect(await text(file)).toBe('name,code\r\na,A\r\n');
    for (const wrong of ['', '0', 'x', '1 or 1=1']) {
      expect(await refusal(worker.list(wrong, model.code, {}))).toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });

  it('tryCreate is empty on a unique conflict, and leaves the surrounding transaction usable', async () => {
    const { workerRecords, database } = await container();
    const worker = workerRecords('dev');

    expect(await worker.tryCreate(tenant.id, model.code, { name: 'a', code: 'A' })).toMatchObject({ name: 'a' });
    expect(await worker.tryCreate(tenant.id, model.code, { name: 'b', code: 'A' })).toBeNull();
    const found = await database.transaction(async (transaction) => {
      const { create, tryCreate } = worker.within(transaction);
      const before = await create(tenant.id, model.code, { name: 'c', code: 'C' });
      const conflicting = await tryCreate(tenant.id, model.code, { name: 'd', code: 'C' });
      const after = await tryCreate(tenant.id, model.code, { name: 'e', code: 'E' });
      return [before.name, conflicting, after?.name];
    });

    expect(found).toEqual(['c', null, 'e']);
    expect((await rows()).map(({ name }) => name)).toEqual(['a', 'c', 'e']);
    expect((await changes()).length).toBe(3);
    expect(await refusal(worker.tryCreate(tenant.id, model.code, { name: null }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('what is part of a transaction goes with it: records, change log and events', async () => {
    const { workerRecords, database } = await container();
    const failed = database.transaction(async (transaction) => {
      await workerRecords('dev').within(transaction).create(tenant.id, model.code, { name: 'a' });
      throw new Error('undone');
    });

    await expect(failed).rejects.toThrow('undone');
    expect([await rows(), await changes()]).toEqual([[], []]);
    expect(await database.query('select 1 from platform.event where tenant_id = $1', [tenant.id])).toEqual([]);
  });
});
