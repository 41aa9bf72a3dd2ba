import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, list, type Answered } from '../support/api.ts';
import { changeModel, insert, newModel, newRole, save, modelDraft, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const NAME: FieldContent = { code: 'name', name: 'Name', type: 'string', searchable: true };
const OWN = [{ fieldName: 'created_by', operator: 'eq', value: '$user.pid' }];
const to = (target: string, code: string): FieldContent => ({
  code,
  name: code,
  type: 'relation',
  target,
  onDelete: 'cascade',
});

let tenant: TestTenant;
let article: TestModel;
let tag: TestModel;
/** Joins the two. */
let label: TestModel;
let writer: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  [article, tag] = [await newModel({ fields: [NAME] }), await newModel({ fields: [NAME] })];
  label = await newModel({ fields: [to(article.code, 'article'), to(tag.code, 'tag')] });
  const through = { through: label.code, from: 'article', to: 'tag' };
  await changeModel(article, { fields: [NAME], relations: [{ code: 'tags', name: 'Tags', ...through }] });
  writer = await userWith(`record:write:${label.code}`);
});

const reading = (): string[] => [article, tag, label].map(({ code }) => `record:read:${code}`);
async function userWith(...codes: string[]): Promise<TestUser> {
  return newUser([await newRole([...reading(), 'command:execute:*', ...codes])], tenant);
}
const relate = (pid: string, related: string, { token } = writer, code = 'record:relate'): Promise<Answered> =>
  execute(token, code, { payload: { modelCode: article.code, pid, name: 'tags', related } });
const unrelate = (pid: string, related: string, user = writer): Promise<Answered> =>
  relate(pid, related, user, 'record:unrelate');
const related = (pid: string, query = '', { token } = writer): Promise<Answered> =>
  call(`/api/dynamic/${article.code}/${pid}/relations/tags?${query}`, { token });
const namesIn = (records: { name: string }[]): string[] => records.map(({ name }) => name);
const tagsOf = async (pid: string, user = writer): Promise<string[]> =>
  namesIn((await related(pid, 'sortField=name&sortOrder=asc', user)).body.data.records);

describe('a relation of a model that leads through another model', () => {
  it('is expanded in lists and details, the newest 20 of each record, with the number of all', async () => {
    const [one = '', two = '', three = ''] = await insert(tenant, article.code, [{ name: 'a' }, { name: 'b' }, {}]);
    const tags = await insert(
      tenant,
      tag.code,
      [...Array(22).keys()].map((index) => ({ name: `t${index}` })),
    );
    const labels = tags.map((pid) => ({ article: one, tag: pid }));
    await insert(tenant, label.code, [...labels, { article: two, tag: tags[0] }, { article: two, tag: tags[0] }]);

    const { body } = await list(writer.token, article.code, { expand: 'tags', fields: 'name', sortField: 'id' });
    const detail = await call(`/api/dynamic/${article.code}/${two}?expand=tags`, { token: writer.token });

    const found = new Map(body.data.records.map((each: { pid: string }) => [each.pid, each]));
    expect(found.get(one)).toMatchObject({ expanded: { tags: { total: 22 } } });
    const [first] = body.data.records.filter(({ pid }: { pid: string }) => pid === one);
    expect(namesIn(first.expanded.tags.records)).toEqual([...Array(20).keys()].map((index) => `t${21 - index}`));
    // Whatever number of records joins two, the two are related.
    expect(found.get(two)).toMatchObject({ expanded: { tags: { total: 1, records: [{ name: 't0' }] } } });
    expect(found.get(three)).toMatchObject({ expanded: { tags: { total: 0, records: [] } } });
    expect(detail.body.data.expanded).toEqual({
      tags: { total: 1, records: [expect.objectContaining({ name: 't0' })] },
    });
  });

  it('is expanded behind a relation to one, and what is behind it in each of its records', async () => {
    const note = await newModel({ fields: [NAME, to(article.code, 'about')] });
    const reader = await newUser([await newRole([...reading(), ...note.permissions])], tenant);
    const [about = ''] = await insert(tenant, article.code, [{ name: 'a' }]);
    const [pid = ''] = await insert(tenant, tag.code, [{ name: 't' }]);
    await insert(tenant, label.code, [{ article: about, tag: pid }]);
    await insert(tenant, note.code, [{ name: 'n', about }]);

    const notes = await list(reader.token, note.code, { expand: 'about.tags' });
    const twice = await list(reader.token, article.code, { expand: `tags.${label.code}.tag` });

    expect(notes.body.data.records[0].expanded).toEqual({
      'about.tags': { total: 1, records: [expect.objectContaining({ pid })] },
    });
    expect(twice.body.data.fieldErrors.expand).toMatch(/leads to many records twice$/);
  });

  it('is a list of its own, with filters, sorting, totals and cursors', async () => {
    const [pid = '', other = ''] = await insert(tenant, article.code, [{ name: 'a' }, { name: 'b' }]);
    const tags = await insert(tenant, tag.code, [{ name: 'x1' }, { name: 'x2' }, { name: 'y' }, { name: 'x3' }]);
    await insert(
      tenant,
      label.code,
      tags.slice(0, 3).map((each) => ({ article: pid, tag: each })),
    );
    const order = 'keyword=x&sortField=name&sortOrder=asc&pageSize=1';

    const page = (await related(pid, order)).body.data;
    const next = (await related(pid, `${order}&count=exact&cursor=${encodeURIComponent(page.nextCursor)}`)).body.data;

    expect([page.total, namesIn(page.records)]).toEqual([2, ['x1']]);
    expect([next.total, namesIn(next.records), next.nextCursor]).toEqual([2, ['x2'], null]);
    expect(await related(other, `${order}&cursor=${encodeURIComponent(page.nextCursor)}`)).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { cursor: expect.any(String) } } },
    });
    expect(await tagsOf(other)).toEqual([]);
  });

  it('does not exist for who may not read one of the models on the way, and is no path of conditions', async () => {
    const [pid = ''] = await insert(tenant, article.code, [{ name: 'a' }]);
    for (const missing of [tag, label]) {
      const codes = reading().filter((code) => code !== `record:read:${missing.code}`);
      const reader = await newUser([await newRole(codes)], tenant);
      expect(await list(reader.token, article.code, { expand: 'tags' })).toMatchObject({
        status: 400,
        body: { data: { fieldErrors: { expand: `tags is not a relation of ${article.code}` } } },
      });
      expect(await related(pid, '', reader)).toMatchObject({ status: 404 });
      const { body } = await call('/api/meta/app', { token: reader.token });
      expect(body.data.models.find(({ code }: { code: string }) => code === article.code)).not.toHaveProperty(
        'relations',
      );
    }
    const filters = [{ fieldName: 'tags.name', operator: 'eq', value: 'x' }];
    expect((await list(writer.token, article.code, { filters })).body.data.fieldErrors).toEqual({
      'tags.name': `is not a field of ${article.code}`,
    });
  });

  it.each(['near', 'far'])('does not exist for who may not read the field that names the %s record', async (hidden) => {
    const [owner, other] = [await newModel({ fields: [NAME] }), await newModel({ fields: [NAME] })];
    const fields = [to(owner.code, 'near'), to(other.code, 'far')];
    const join = await newModel({
      fields: fields.map((field) => ({ ...field, ...(field.code === hidden && { readPermission: true }) })),
    });
    const relations = [{ code: 'others', name: 'O', through: join.code, from: 'near', to: 'far' }];
    await changeModel(owner, { fields: [NAME], relations });
    const codes = [owner, other, join].flatMap(({ code }) => [`record:read:${code}`, `record:write:${code}`]);
    const user = await newUser([await newRole([...codes, 'command:execute:*'])], tenant);
    const [pid = ''] = await insert(tenant, owner.code, [{ name: 'a' }]);
    const [related = ''] = await insert(tenant, other.code, [{ name: 'b' }]);
    const payload = { modelCode: owner.code, pid, name: 'others', related };

    expect((await list(user.token, owner.code, { expand: 'others' })).status).toBe(400);
    expect((await call(`/api/dynamic/${owner.code}/${pid}/relations/others`, { token: user.token })).status).toBe(404);
    expect((await execute(user.token, 'record:relate', { payload })).status).toBe(404);
  });

  it('is told of by GET /api/meta/app', async () => {
    const { body } = await call('/api/meta/app', { token: writer.token });

    expect(body.data.models.find(({ code }: { code: string }) => code === article.code).relations).toEqual([
      { code: 'tags', name: 'Tags', target: tag.code, through: label.code },
    ]);
  });
});

describe('record:relate and record:unrelate', () => {
  it('create the record that joins two, once, and delete it', async () => {
    const [pid = ''] = await insert(tenant, article.code, [{ name: 'a' }]);
    const [x = '', y = ''] = await insert(tenant, tag.code, [{ name: 'x' }, { name: 'y' }]);

    const [first, again] = await Promise.all([relate(pid, x), relate(pid, x)]);
    await relate(pid, y);

    expect(first.body).toMatchObject({ code: '0', data: { article: pid, tag: x } });
    expect(again.body.data.pid).toBe(first.body.data.pid);
    expect(await tagsOf(pid)).toEqual(['x', 'y']);
    expect((await unrelate(pid, x)).body).toMatchObject({ code: '0', data: { pid: first.body.data.pid } });
    expect(await tagsOf(pid)).toEqual(['y']);
    expect(
      (await list(writer.token, label.code, { filters: [{ fieldName: 'article', op: 'eq', value: pid }] })).body.data
        .total,
    ).toBe(1);
    expect(await unrelate(pid, x)).toMatchObject({ status: 404 });
  });

  it('relate by a field, too, from either side', async () => {
    const [a = ''] = await insert(tenant, article.code, [{ name: 'a' }]);
    const [pid = ''] = await insert(tenant, label.code, [{}]);
    const by = (code: string, payload: object) => execute(writer.token, code, { payload });
    const of = { modelCode: label.code, pid, name: 'article', related: a };
    const from = { modelCode: article.code, pid: a, name: `${label.code}.article`, related: pid };

    expect((await by('record:relate', of)).body.data).toMatchObject({ pid, article: a, version: 2 });
    expect((await by('record:unrelate', from)).body.data).toMatchObject({ pid, article: null, version: 3 });
    expect((await by('record:relate', { ...from, name: 'nope' })).status).toBe(404);
    expect((await by('record:relate', { ...from, name: 1 })).body.data.fieldErrors).toHaveProperty('name');
  });

  it('need the right to write records of the joining model', async () => {
    const [pid = ''] = await insert(tenant, article.code, [{ name: 'a' }]);
    const [x = ''] = await insert(tenant, tag.code, [{ name: 'x' }]);
    const reader = await userWith();

    for (const answered of [await relate(pid, x, reader), await unrelate(pid, x, reader)]) {
      expect(answered).toMatchObject({ status: 403, body: { data: { permission: `record:write:${label.code}` } } });
    }
  });

  it('answer alike for a record that is hidden, deleted, of another tenant or not there', async () => {
    const rules = { rowRules: [{ name: 'Own', unless: 'record:all:t', conditions: OWN }] };
    const hidden = await newModel({ fields: [NAME], ...rules });
    const owner = await newModel({ fields: [NAME] });
    const join = await newModel({ fields: [to(owner.code, 'article'), to(hidden.code, 'tag')], ...rules });
    const through = { through: join.code, from: 'article', to: 'tag' };
    await changeModel(owner, { fields: [NAME], relations: [{ code: 'tags', name: 'Tags', ...through }] });
    const codes = [owner, hidden, join].flatMap(({ code }) => [`record:read:${code}`, `record:write:${code}`]);
    const user = await newUser([await newRole([...codes, 'command:execute:*'])], tenant);
    const [pid = ''] = await insert(tenant, owner.code, [{ name: 'a' }]);
    const [secret = '', free = ''] = await insert(tenant, hidden.code, [{ name: 's' }, { name: 'f' }]);
    const [foreign = ''] = await insert(await newTenant(), hidden.code, [{ name: 'x' }]);
    await insert(tenant, join.code, [{ article: pid, tag: secret }]);
    const answer = async (code: string, other: string) => {
      const payload = { modelCode: owner.code, pid, name: 'tags', related: other };
      const { status, body } = await execute(user.token, code, { payload });
      return [status, JSON.stringify(body)];
    };

    for (const code of ['record:relate', 'record:unrelate']) {
      const none = await answer(code, '01ARZ3NDEKTSV4RRFFQ69G5FAV');
      for (const each of [secret, free, foreign]) expect(await answer(code, each)).toEqual(none);
    }
    const lists = await call(`/api/dynamic/${owner.code}/${pid}?expand=tags`, { token: user.token });
    expect(lists.body.data.expanded.tags).toEqual({ records: [], total: 0 });
  });
});

describe('saving a model with a relation through another', () => {
  const draft = (relation: object, fields = [NAME]) =>
    modelDraft(article.code, {
      fields,
      relations: [{ code: 'tags', name: 'T', through: label.code, from: 'article', to: 'tag', ...relation }],
    });
  const problems = async (...drafts: ReturnType<typeof draft>[]) =>
    ((await failureOf(save('dev', ...drafts))) as { data: { fieldErrors: object } }).data.fieldErrors;

  it('is refused where the joining model or one of the two relation fields is missing', async () => {
    const at = `MODEL/${article.code} content.relations.0`;
    expect(await problems(draft({ through: 'nope_x' }))).toMatchObject({ [`${at}.through`]: expect.anything() });
    expect(await problems(draft({ from: 'nope' }))).toHaveProperty([`${at}.from`]);
    expect(await problems(draft({ to: 'created_by' }))).toHaveProperty([`${at}.to`]);
    expect(await problems(draft({ from: 'tag', to: 'article' }))).toHaveProperty([`${at}.from`]);
    expect(await problems(draft({ to: 'article' }))).toHaveProperty(['content.relations.0.to']);
    expect(await problems(draft({ code: 'name' }))).toHaveProperty(['content.relations.0.code']);
  });

  it('keeps the joining model from losing them', async () => {
    const without = modelDraft(label.code, { fields: [to(article.code, 'article')] });
    expect(await problems(without)).toHaveProperty([`MODEL/${article.code} content.relations.0.to`]);
  });
});
