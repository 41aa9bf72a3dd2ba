import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, list, type Answered } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf, indexesOf, runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const fields: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string' },
  { code: 'assignee', name: 'Assignee', type: 'user' },
  { code: 'author', name: 'Author', type: 'user', required: true, default: '$user.pid' },
  { code: 'opened_at', name: 'Opened', type: 'datetime', default: '$now' },
  { code: 'opened_on', name: 'On', type: 'date', default: '$today' },
];

let tenant: TestTenant;
let model: TestModel;
let ada: TestUser;
let bea: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  model = await newModel({ fields });
  const role = await newRole(model.permissions);
  [ada, bea] = await Promise.all([newUser([role], tenant), newUser([role], tenant)]);
});

const create = (payload: object): Promise<Answered> => execute(ada.token, model.command, { payload });
const update = (targetRecordId: string, payload: object): Promise<Answered> =>
  execute(ada.token, model.command, { operationType: 'UPDATE', targetRecordId, payload });

describe('a field of type user', () => {
  it('takes the pid of an active member of the tenant, and no other', async () => {
    const foreigner = await newUser(['ADMIN'], await newTenant());
    const disabled = await newUser([], tenant);
    await runSql(`update platform."user" set status = 'disabled' where pid = $1`, [disabled.pid]);

    expect(await create({ assignee: bea.pid })).toMatchObject({ status: 200, body: { data: { assignee: bea.pid } } });
    for (const assignee of [foreigner.pid, disabled.pid, '0'.repeat(26)]) {
      const { status, body } = await create({ assignee });
      expect({ status, errors: body.data.fieldErrors }).toEqual({
        status: 400,
        errors: { assignee: 'is not a member of the tenant' },
      });
    }
    expect((await create({ assignee: 'a b' })).body.data.fieldErrors).toEqual({
      assignee: 'must be the pid of a user',
    });
  });

  it('keeps a person who left until it is changed', async () => {
    const leaver = await newUser([], tenant);
    const { pid } = (await create({ assignee: leaver.pid })).body.data;
    await runSql('delete from platform.membership where user_id = $1', [leaver.id]);

    const read = await call(`/api/dynamic/${model.code}/${pid}`, { token: ada.token });
    expect(read.body.data).toMatchObject({ assignee: leaver.pid });
    expect(await update(pid, { name: 'x', assignee: leaver.pid })).toMatchObject({ status: 200 });
    expect(await update(pid, { author: leaver.pid })).toMatchObject({ status: 400 });
  });

  it('is expanded to the name of whom it holds, who may have left the tenant', async () => {
    const foreigner = await newUser([], await newTenant());
    const leaver = await newUser([], tenant);
    await runSql('delete from platform.membership where user_id = $1', [leaver.id]);
    const pids = await insert(tenant, model.code, [
      { assignee: foreigner.pid, author: ada.pid },
      { assignee: leaver.pid, author: bea.pid },
      { author: leaver.pid },
    ]);

    const listed = await list(ada.token, model.code, {
      expand: 'assignee,author',
      fields: 'pid',
      sortField: 'id',
      sortOrder: 'asc',
      filters: [{ fieldName: 'pid', operator: 'in', value: pids }],
    });
    const detail = await call(`/api/dynamic/${model.code}/${pids[1]}?expand=assignee`, { token: ada.token });

    const named = ({ pid, email }: TestUser) => ({ pid, username: email });
    expect(listed.body.data.records.map(({ expanded }: { expanded: object }) => expanded)).toEqual([
      { assignee: null, author: named(ada) },
      { assignee: named(leaver), author: named(bea) },
      { assignee: null, author: named(leaver) },
    ]);
    expect(detail.body.data.expanded).toEqual({ assignee: named(leaver) });
    const beyond = await list(ada.token, model.code, { expand: 'assignee.name' });
    expect(beyond.body.data.fieldErrors.expand).toMatch(/^assignee.name is not a relation of /);
  });

  it('is expanded behind a relation', async () => {
    const note = await newModel({ fields: [{ code: 'about', name: 'About', type: 'relation', target: model.code }] });
    const reader = await newUser([await newRole([...model.permissions, ...note.permissions])], tenant);
    const [about] = await insert(tenant, model.code, [{ author: bea.pid }]);
    await insert(tenant, note.code, [{ about }]);

    const notes = await list(reader.token, note.code, { expand: 'about.author' });
    const path = `${note.code}.about`;
    const ticket = await call(`/api/dynamic/${model.code}/${about}?expand=author,${path}.about`, reader);

    const author = { pid: bea.pid, username: expect.any(String) };
    expect(notes.body.data.records[0].expanded).toEqual({ 'about.author': author });
    expect(ticket.body.data.expanded.author).toEqual(author);
    expect((await list(reader.token, note.code, { expand: 'about.author.x' })).status).toBe(400);
  });

  it('has an index', async () => {
    expect((await indexesOf(model.code)).filter((index) => index.includes('assignee'))).toHaveLength(1);
  });
});

describe('the default of a field', () => {
  it('may be the creator and the time, unless the payload says otherwise', async () => {
    const before = new Date().toISOString();

    const { data } = (await create({ name: 'a' })).body;

    expect(data.author).toBe(ada.pid);
    expect(data.opened_at >= before && data.opened_at <= new Date().toISOString()).toBe(true);
    expect([before.slice(0, 10), new Date().toISOString().slice(0, 10)]).toContain(data.opened_on);
    expect((await create({ author: bea.pid, opened_at: null })).body.data).toMatchObject({
      author: bea.pid,
      opened_at: null,
    });
    expect((await create({ author: null })).body.data.fieldErrors).toEqual({ author: 'is required' });
  });

  it.each<[string, object, string]>([
    ['unknown', { type: 'user', default: '$user.email' }, 'must be the pid of a user'],
    ['of another type', { type: 'datetime', default: '$today' }, 'must be an ISO 8601 time with a zone'],
  ])('is refused where its variable is %s', async (_what, options, problem) => {
    const content = { name: 'M', fields: [{ code: 'name', name: 'Name', ...options }] };

    expect(await failureOf(save('dev', { resourceType: 'MODEL', code: newCode(), content }))).toMatchObject({
      data: { fieldErrors: { 'content.fields.0.default': expect.stringContaining(problem) } },
    });
  });
});

describe('GET /api/users/lookup', () => {
  const lookup = ({ token }: TestUser, keyword: string): Promise<Answered> =>
    call(`/api/users/lookup?keyword=${encodeURIComponent(keyword)}`, { token });

  it('gives the active members of the tenant whose name or e-mail contains the keyword', async () => {
    const reader = await newUser([await newRole(['user:lookup'])], tenant);
    const foreigner = await newUser(['ADMIN'], await newTenant());
    await runSql(`update platform."user" set username = 'Bea 100%' where pid = $1`, [bea.pid]);

    const found = await lookup(reader, '100%');

    expect(found.body.data).toEqual([{ value: bea.pid, label: 'Bea 100%', email: bea.email }]);
    expect((await lookup(reader, ada.email)).body.data).toMatchObject([{ value: ada.pid }]);
    expect((await lookup(reader, foreigner.email)).body.data).toEqual([]);
    expect((await lookup(reader, '')).body.data.length).toBeGreaterThan(2);
  });

  it('needs user:lookup', async () => {
    expect(await lookup(ada, '')).toMatchObject({ status: 403, body: { data: { permission: 'user:lookup' } } });
  });
});
