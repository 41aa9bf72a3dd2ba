import { text } from 'node:stream/consumers';
import { ulid } from 'ulid';
import { Languages } from '../../src/foundation/i18n/languages.ts';
import type { RecordService } from '../../src/features/records/service/records.service.ts';
import { roleOfScope } from '../../src/platform/metadata/permissions/permissions.ts';
import type { OutboxEvent } from '../../src/platform/events/outbox/outbox.ts';
import { actorOf, type Actor } from '../../src/platform/auth/requests/actor.ts';
import { list } from '../support/api.ts';
import { rowsOf } from '../support/faults.ts';
import { changeModel, insert, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { container, newTenant, newUser, type TestTenant } from '../support/world.ts';

const SYSTEM_FIELDS = ['id', 'pid', 'tenant_id', 'created_at', 'created_by', 'updated_at', 'updated_by', 'version'];

const language = new Languages([], () => new Map()).languageFor(['en'], undefined);

describe('RecordService', () => {
  let service: RecordService;
  let parent: TestModel;
  let child: TestModel;
  let tenant: TestTenant;
  let actor: Actor;
  let children: string;

  /** Who may do just this. */
  const actorWith = async (codes: string[], { id } = tenant): Promise<Actor> => {
    const { snapshots } = await container();
    const user = { userId: '1', userPid: ulid(), username: 'u', tenantId: id, roles: codes.map(roleOfScope) };
    return actorOf({ ...user, keyMadeBy: null }, await snapshots.current('dev'));
  };
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => error,
    );
  const events = async (): Promise<OutboxEvent[]> => {
    const { database } = await container();
    return database.query<OutboxEvent>('select * from platform.event where tenant_id = $1 order by id', [tenant.id]);
  };
  const changes = () => rowsOf(tenant.id, 'select * from platform.change_log order by id');
  const names = async () => {
    const { records } = await service.list(actor, parent.code, { sortFields: [{ fieldName: 'id', order: 'asc' }] });
    return records.map(({ name }) => name);
  };

  beforeAll(async () => {
    service = (await container()).recordService;
    parent = await newModel({
      fields: [
        { code: 'name', name: 'Name', type: 'string', required: true },
        { code: 'code', name: 'Code', type: 'string', unique: true },
        { code: 'size', name: 'Size', type: 'integer' },
        { code: 'extra', name: 'Extra', type: 'json' },
        { code: 'price', name: 'Price', type: 'decimal' },
        { code: 'secret', name: 'Secret', type: 'string', readPermission: true },
        { code: 'state', name: 'State', type: 'enum', values: ['new', 'won'], transitions: { new: ['won'], won: [] } },
      ],
    });
    const relation = { code: 'parent', name: 'Parent', type: 'relation' as const, target: parent.code };
    const label = { code: 'label', name: 'Label', type: 'string' as const, required: true };
    child = await newModel({ fields: [label, relation] });
    children = `${child.code}.parent`;
  });

  beforeEach(async () => {
    tenant = await newTenant();
    const both = [parent, child].flatMap(({ code }) => [`record:read:${code}`, `record:write:${code}`]);
    actor = await actorWith(both);
  });

  describe('create', () => {
    it('returns the full created record including system fields, without what the actor may not read', async () => {
      const record = await service.create(actor, parent.code, { name: 'a', size: 1, price: '1.50', extra: { x: [1] } });

      const own = ['name', 'code', 'size', 'extra', 'price', 'state'];
      expect(Object.keys(record).sort()).toEqual([...SYSTEM_FIELDS, ...own].sort());
      expect(record).toMatchObject({ name: 'a', size: 1, price: '1.50', extra: { x: [1] }, version: 1, code: null });
      expect(record).toMatchObject({ tenant_id: tenant.id, created_by: actor.userPid });
      expect(await service.getById(actor, parent.code, String(record.pid))).toEqual(record);
    });

    it('leaves a line of the change log and an event, from which record.created follows', async () => {
      const { pid } = await service.create(actor, parent.code, { name: 'a' });

      const [change, ...others] = await changes();
      expect(others).toEqual([]);
      expect(change).toMatchObject({ model_code: parent.code, record_pid: pid, action: 'CREATE', execution_pid: null });
      expect(change.after).toMatchObject({ name: 'a' });
      expect(await events()).toMatchObject([
        { eventType: 'record:create', modelCode: parent.code, recordPid: pid, changeIds: [change.id] },
      ]);
    });

    it('makes totals stale before it answers', async () => {
      const { token } = await newUser([await newRole(parent.permissions)], tenant);
      const total = async () => (await list(token, parent.code)).body.data.total as number;
      for (let round = 0; round < 3; round += 1) expect(await total()).toBe(0);
      for (const expected of [1, 2, 3]) {
        await service.create(actor, parent.code, { name: 'a' });
        expect([await total(), await total()]).toEqual([expected, expected]);
      }
    });

    it('that is refused leaves nothing', async () => {
      await service.create(actor, parent.code, { name: 'a', code: 'X' });

      expect(await refusal(service.create(actor, parent.code, { name: 'b', code: 'X' }))).toMatchObject({
        code: 'CONFLICT',
        data: { reason: 'UNIQUE', fieldErrors: { code: 'is taken' } },
      });
      expect(await refusal(service.create(actor, parent.code, { size: 'x', nope: 1 }))).toMatchObject({
        code: 'VALIDATION_ERROR',
        data: { fieldErrors: { name: 'is required', size: expect.anything(), nope: expect.anything() } },
      });
      expect(await names()).toEqual(['a']);
      expect([(await changes()).length, (await events()).length]).toEqual([1, 1]);
    });
  });

  it('update returns the full updated record, and is refused for another version', async () => {
    const { pid } = await service.create(actor, parent.code, { name: 'a', state: 'new' });
    const target = { pid: String(pid), expectedVersion: 1 };

    const updated = await service.update(actor, parent.code, { ...target, data: { size: 2, state: 'won' } });

    expect(updated).toMatchObject({ pid, name: 'a', size: 2, state: 'won', version: 2 });
    expect(await refusal(service.update(actor, parent.code, { ...target, data: { size: 3 } }))).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'VERSION', version: 2, record: { size: 2 } },
    });
    const back = { pid: target.pid, data: { state: 'new' } };
    expect(await refusal(service.update(actor, parent.code, back))).toMatchObject({ data: { reason: 'STATE' } });
    expect((await changes()).map(({ action, after }) => [action, after.size])).toEqual([
      ['CREATE', null],
      ['UPDATE', 2],
    ]);
  });

  it('delete is soft; getById is null for what is deleted, absent, or of another tenant', async () => {
    const { pid } = await service.create(actor, parent.code, { name: 'a' });
    const [foreign = ''] = await insert(await newTenant(), parent.code, [{ name: 'theirs' }]);

    await service.delete(actor, parent.code, { pid: String(pid) });

    for (const gone of [String(pid), ulid(), foreign, "'; --"]) {
      expect(await service.getById(actor, parent.code, gone)).toBeNull();
      expect(await refusal(service.delete(actor, parent.code, { pid: gone }))).toMatchObject({ code: 'NOT_FOUND' });
      expect(await refusal(service.update(actor, parent.code, { pid: gone, data: {} }))).toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    const rows = await rowsOf(tenant.id, `select deleted_at is not null as gone from dev.mt_${parent.code}`);
    expect(rows).toEqual([{ gone: true }]);
  });

  it('is open only to who has the permission of the operation', async () => {
    const nobody = await actorWith(['record:read:nothing']);
    const { code } = parent;
    const pid = ulid();
    const read = { code: 'FORBIDDEN', data: { permission: `record:read:${code}` } };
    const write = { code: 'FORBIDDEN', data: { permission: `record:write:${code}` } };
    const reads = [
      service.list(nobody, code, {}),
      service.getById(nobody, code, pid),
      service.getWhole(nobody, code, pid),
      service.aggregate(nobody, code, {}),
      service.stats(nobody, code, {}),
      service.fieldOptions(nobody, code, 'state', { language }),
      service.getRelation(nobody, code, pid, children).catch((error: unknown) => {
        // A relation that the actor may not follow is none.
        throw (error as { code: string }).code === 'NOT_FOUND' ? read : error;
      }),
    ];
    for (const one of reads) expect(await refusal(one)).toMatchObject(read);
    const writes = [
      service.create(nobody, code, { name: 'a' }),
      service.tryCreate(nobody, code, { name: 'a' }),
      service.update(nobody, code, { pid, data: {} }),
      service.delete(nobody, code, { pid }),
      service.batchCreate(nobody, code, [{}], 'partial'),
      service.batchUpdate(nobody, code, [{ pid, data: {} }], 'partial'),
      service.batchDelete(nobody, code, [{ pid }], 'partial'),
      service.saveWithRelations(nobody, code, { data: {} }),
      service.validate(nobody, code, {}),
    ];
    for (const one of writes) expect(await refusal(one)).toMatchObject(write);
    expect(await changes()).toEqual([]);
  });

  it('aggregate, stats and field options answer by the code of the model', async () => {
    await service.batchCreate(actor, parent.code, [
      { name: 'a', size: 1 },
      { name: 'a', size: 3 },
      { name: 'b', size: 5 },
    ]);
    const measures = [{ fn: 'sum' as const, fieldName: 'size', as: 'sum' }];

    expect((await service.aggregate(actor, parent.code, { groupBy: [{ fieldName: 'name' }], measures })).rows).toEqual([
      { name: 'a', sum: '4' },
      { name: 'b', sum: '5' },
    ]);
    expect(await service.stats(actor, parent.code, { fields: 'size' })).toMatchObject({ total: 3 });
    expect(await service.fieldOptions(actor, parent.code, 'state', { language })).toEqual([
      { value: 'new', label: 'new' },
      { value: 'won', label: 'won' },
    ]);
    expect(await refusal(service.list(actor, parent.code, { pageSize: 501 }))).toMatchObject({
      data: { fieldErrors: { pageSize: expect.anything() } },
    });
    expect(await refusal(service.aggregate(actor, parent.code, { limit: 0 }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('validate says what a write would refuse, and leaves nothing', async () => {
    const { pid } = await service.create(actor, parent.code, { name: 'a', code: 'X', state: 'won' });
    const check = (data: object, target: { pid: string } | null = null) =>
      service.validate(actor, parent.code, { ...data }, target);

    expect(await check({ name: 'b', code: 'Y' })).toEqual({ valid: true, fieldErrors: {} });
    expect(await check({ name: 'b', code: 'X' })).toEqual({ valid: false, fieldErrors: { code: 'is taken' } });
    expect(await check({})).toEqual({ valid: false, fieldErrors: { name: 'is required' } });
    expect(await check({ name: null }, { pid: String(pid) })).toMatchObject({ valid: false });
    expect(await refusal(check({}, { pid: ulid() }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await names()).toEqual(['a']);
    expect([(await changes()).length, (await events()).length]).toEqual([1, 1]);
  });

  it('customQuery answers a data source that reads the model, to who may read it', async () => {
    const code = `q_${ulid().toLowerCase()}`;
    const content = { name: code, kind: 'model', modelCode: parent.code, fields: ['name'] };
    await save('dev', { resourceType: 'DATASOURCE', code, content });
    await service.create(actor, parent.code, { name: 'a' });
    const query = { code, params: {}, maxItems: 10, language };
    const reader = await actorWith([`datasource:read:${code}`]);

    expect(await service.customQuery(reader, parent.code, query)).toEqual([{ name: 'a' }]);
    expect(await refusal(service.customQuery(reader, child.code, query))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(service.customQuery(actor, parent.code, query))).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('export is a whole list as a file; whoever gives it up makes room for the next', async () => {
    for (const name of ['b', 'a', 'c']) await service.create(actor, parent.code, { name, size: 1 });
    const sortFields = [{ fieldName: 'name', order: 'asc' }];
    const asked = { format: 'csv' as const, fields: ['name', 'size'], sortFields };

    const file = await service.export(actor, parent.code, asked);
    expect(await text(file)).toBe('name,size\r\na,1\r\nb,1\r\nc,1\r\n');

    for (let given = 0; given < 4; given += 1) (await service.export(actor, parent.code, asked)).destroy();
    const wrong = service.export(actor, parent.code, { ...asked, expand: [children] });
    expect(await refusal(wrong)).toMatchObject({ data: { fieldErrors: { expand: 'is for ndjson alone' } } });
    const nobody = await actorWith([]);
    expect(await refusal(service.export(nobody, parent.code, asked))).toMatchObject({ code: 'FORBIDDEN' });
  });

  describe('relations', () => {
    it('are read, created and removed from both sides', async () => {
      const one = String((await service.create(actor, parent.code, { name: 'one' })).pid);
      const other = String((await service.create(actor, child.code, { label: 'x' })).pid);
      const related = async (code: string, pid: string, name: string) =>
        (await service.getRelation(actor, code, pid, name)).records.map(({ pid: found }) => found);

      expect(await related(parent.code, one, children)).toEqual([]);
      await service.createRelation(actor, parent.code, { pid: one, name: children, related: other });
      expect(await related(parent.code, one, children)).toEqual([other]);
      expect(await related(child.code, other, 'parent')).toEqual([one]);
      const wrong = { pid: other, name: 'parent', related: ulid() };
      expect(await refusal(service.removeRelation(actor, child.code, wrong))).toMatchObject({ code: 'NOT_FOUND' });
      await service.removeRelation(actor, child.code, { pid: other, name: 'parent', related: one });
      expect(await related(child.code, other, 'parent')).toEqual([]);
      expect(await refusal(service.getRelation(actor, parent.code, one, 'name'))).toMatchObject({ code: 'NOT_FOUND' });
      expect(await refusal(service.getRelation(actor, parent.code, ulid(), children))).toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    it('never lead to a record of another tenant', async () => {
      const [foreign = ''] = await insert(await newTenant(), parent.code, [{ name: 'theirs' }]);
      const own = String((await service.create(actor, child.code, { label: 'x' })).pid);

      const relation = { pid: own, name: 'parent', related: foreign };
      expect(await refusal(service.createRelation(actor, child.code, relation))).toMatchObject({
        data: { fieldErrors: { parent: expect.anything() } },
      });
      const reverse = { pid: foreign, name: children, related: own };
      expect(await refusal(service.createRelation(actor, parent.code, reverse))).toMatchObject({
        data: { fieldErrors: { parent: expect.anything() } },
      });
    });

    it('are created and removed through a joining model, once each, and saved one by one', async () => {
      const to = (code: string, target: string) => ({ code, name: code, type: 'relation' as const, target });
      const near = await newModel({ fields: [{ code: 'label', name: 'Label', type: 'string' }] });
      const join = await newModel({ fields: [to('near', near.code), to('far', parent.code)] });
      const relations = [{ code: 'all', name: 'All', through: join.code, from: 'near', to: 'far' }];
      await changeModel(near, { fields: [{ code: 'label', name: 'Label', type: 'string' }], relations });
      const codes = [near.code, join.code, parent.code];
      const both = await actorWith(codes.flatMap((code) => [`record:read:${code}`, `record:write:${code}`]));
      const pid = String((await service.create(both, near.code, { label: 'x' })).pid);
      const related = String((await service.create(both, parent.code, { name: 'one' })).pid);
      const relation = { pid, name: 'all', related };

      const joined = await service.createRelation(both, near.code, relation);
      const again = await service.createRelation(both, near.code, relation);

      expect([joined.pid, again]).toEqual([
        again.pid,
        expect.objectContaining({ near: pid, far: related, version: 1 }),
      ]);
      expect((await service.getRelation(both, near.code, pid, 'all')).records).toMatchObject([{ name: 'one' }]);
      const tree = { data: { label: 'y' }, relations: { all: [{ pid: related }] } };
      expect(await refusal(service.saveWithRelations(both, near.code, tree))).toMatchObject({
        data: { fieldErrors: { 'relations.all': 'is many-to-many: relate records one by one' } },
      });
      expect(await service.removeRelation(both, near.code, relation)).toMatchObject({ pid: joined.pid });
      expect((await service.getRelation(both, near.code, pid, 'all')).total).toBe(0);
      expect(await refusal(service.removeRelation(both, near.code, relation))).toMatchObject({ code: 'NOT_FOUND' });
    });

    it('saveWithRelations saves a record with related ones, all or nothing', async () => {
      const saved = await service.saveWithRelations(actor, parent.code, {
        data: { name: 'p' },
        relations: { [children]: [{ data: { label: 'x' } }, { data: { label: 'y' } }] },
      });
      const record = saved.record as { pid: string };
      const [x, y] = saved.relations[children] as unknown as [{ pid: string }, { pid: string }];
      expect([x, y]).toMatchObject([
        { label: 'x', parent: record.pid },
        { label: 'y', parent: record.pid },
      ]);
      const before = (await changes()).length;
      const broken = service.saveWithRelations(actor, parent.code, {
        pid: record.pid,
        data: { name: 'q' },
        relations: { [children]: [{ pid: y.pid, data: { label: 'z' } }, { data: { label: null } }] },
      });
      expect(await refusal(broken)).toMatchObject({
        data: { fieldErrors: { [`relations.${children}.1.label`]: 'is required' } },
      });
      expect((await changes()).length).toBe(before);

      const changed = await service.saveWithRelations(actor, parent.code, {
        pid: record.pid,
        data: { size: 7 },
        relations: {
          [children]: [
            { pid: y.pid, data: { label: 'z' } },
            { pid: x.pid, delete: true },
          ],
        },
      });
      expect(changed).toMatchObject({ record: { name: 'p', size: 7 }, relations: { [children]: [{ label: 'z' }] } });
      expect(await service.getById(actor, child.code, x.pid)).toBeNull();
      const up = await service.saveWithRelations(actor, child.code, {
        pid: y.pid,
        data: {},
        relations: { parent: { data: { name: 'another' } } },
      });
      expect(up).toMatchObject({ relations: { parent: { name: 'another' } } });
      expect(up.record.parent).toBe((up.relations.parent as { pid: string }).pid);
      // One event for each model that was written.
      expect(
        (await events())
          .slice(-2)
          .map(({ modelCode }) => modelCode)
          .sort(),
      ).toEqual([child.code, parent.code].sort());
    });
  });
});
