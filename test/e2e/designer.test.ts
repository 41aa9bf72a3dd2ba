import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { call, execute, list, expectRefusal, dataOf, refusal } from '../support/api.ts';
import { holdTable } from '../support/faults.ts';
import { newCode } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { auditOf, columnsIn, resourceIn, platformAdmin } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

const admin = platformAdmin();

const save = (payload: unknown, headers: Record<string, string> = {}) =>
  execute(admin.user.token, 'meta:save', { payload }, { headers });
const remove = (payload: unknown) => execute(admin.user.token, 'meta:delete', { payload });

const fields = [{ code: 'name', name: 'Name', type: 'string' }];
const model = (code: string, more: object[] = []) => ({
  resourceType: 'MODEL',
  code,
  content: { name: code, fields: [...fields, ...more] },
});
const page = (code: string, columns = ['name']) => ({
  resourceType: 'PAGE_SCHEMA',
  code,
  content: { name: code, modelCode: code, columns },
});

describe('meta:save', () => {
  it('creates a resource at version 1 and answers it; a model has its table at once', async () => {
    const code = newCode();

    const answer = await save(model(code));

    expect(answer.headers.get('x-execution-pid')).toMatch(/^[0-9A-Z]{26}$/);
    expect(dataOf(answer)).toEqual({
      ...model(code),
      pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
      version: 1,
      updatedBy: admin.user.pid,
      updatedAt: expect.any(String),
      warnings: [],
    });
    expect(await columnsIn('dev', code)).toMatchObject({ name: 'text' });
    dataOf(await save(page(code)));
    const { token } = await newUser(['ADMIN'], admin.tenant);
    expect((await list(token, code)).body).toMatchObject({ code: '0', data: { total: 0 } });
  });

  it('gives a changed content the next version under the same pid, and an unchanged one none', async () => {
    const code = newCode();
    const first = dataOf(await save(model(code)));

    const second = dataOf(await save(model(code, [{ code: 'size', name: 'Size', type: 'integer' }])));
    const again = dataOf(await save(model(code, [{ type: 'integer', name: 'Size', code: 'size' }])));

    expect(second).toMatchObject({ pid: first.pid, version: 2 });
    expect(again).toMatchObject({ pid: first.pid, version: 2 });
    expect((await auditOf(first.pid)).map(({ action }) => action)).toEqual(['metadata.save', 'metadata.save']);
  });

  it('replays a repeated key, as every command does', async () => {
    const code = newCode();
    const key = { 'X-Idempotent-Key': code };
    const first = dataOf(await save(model(code), key));

    const second = await save(model(code, [{ code: 'size', name: 'Size', type: 'integer' }]), key);

    expect(second).toMatchObject({ status: 200, body: { code: 'IDEMPOTENT_REPLAY', data: first } });
    expect(await resourceIn('dev', 'MODEL', code)).toMatchObject({ version: 1 });
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{}, ['code', 'content', 'resourceType']],
    [{ ...model('ok'), resourceType: 'TABLE' }, ['resourceType']],
    [{ ...model('ok'), pid: 'x' }, ['pid']],
    [{ ...model('ok'), code: 5 }, ['code']],
    [model('Not A Code'), ['code']],
    [{ ...model('ok'), content: { name: '' } }, ['content.fields', 'content.name']],
    [{ ...page('ok'), content: null }, ['content']],
  ])('refuses %j with a path per problem', async (payload, paths) => {
    const { status, code, data } = refusal(await save(payload));

    expect({ status, code, paths: Object.keys((data as { fieldErrors: object }).fieldErrors).sort() }).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      paths,
    });
  });

  it.each([
    ['NUL', 'a\0b'],
    ['half a surrogate pair', 'a\ud800'],
  ])('refuses %s in any text, with its path; an import does, too', async (_what, bad) => {
    const problem = 'must not contain NUL or ill-formed Unicode';
    const code = newCode();
    const broken = model(code, [{ code: 'size', name: bad, type: 'string', default: bad }]);
    const language = { resourceType: 'I18N', code: newCode(), content: { locale: 'en', messages: { greeting: bad } } };
    const keyed = { resourceType: 'I18N', code: newCode(), content: { locale: 'en', messages: { [bad]: 'Hi' } } };
    const entry = { ...broken, pid: ulid(), version: 1 };
    const snapshot = { formatVersion: 1, environment: 'dev', checksum: '0', resources: [entry] };

    expect(refusal(await save(broken))).toMatchObject({
      status: 400,
      data: { fieldErrors: { 'content.fields.1.name': problem, 'content.fields.1.default': problem } },
    });
    expect(refusal(await save(language))).toMatchObject({
      status: 400,
      data: { fieldErrors: { 'content.messages.greeting': problem } },
    });
    expect(refusal(await save(keyed))).toMatchObject({
      status: 400,
      data: { fieldErrors: { 'content.messages': problem } },
    });
    const imported = await call('/api/admin/environments/dev/import', {
      token: admin.user.token,
      body: { ...snapshot, reason: 'A test' },
    });
    expect(refusal(imported)).toMatchObject({
      status: 400,
      data: { fieldErrors: { ['resources.0.content.fields.1.name']: problem } },
    });
  });

  it('refuses what refers to something that is not there, and saves nothing', async () => {
    const code = newCode();

    expect(refusal(await save(page(code)))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: {
        fieldErrors: {
          [`PAGE_SCHEMA/${code} content.modelCode`]: `${code} is not a model`,
          [`PAGE_SCHEMA/${code} content.columns.0`]: `${code} is not a model`,
        },
      },
    });
    expect(await resourceIn('dev', 'PAGE_SCHEMA', code)).toBeNull();
  });

  it('counts the stored values that do not cast to a new type; when all do, they are cast', async () => {
    const code = newCode();
    dataOf(await save(model(code, [{ code: 'size', name: 'Size', type: 'string', indexed: true }])));
    const operations = ['CREATE'];
    dataOf(
      await save({ resourceType: 'COMMAND', code: `t:${code}`, content: { name: 'C', modelCode: code, operations } }),
    );
    const { token } = await newUser(['ADMIN'], admin.tenant);
    for (const size of ['1', ' 2', 'three', '4.5']) {
      expect((await execute(token, `t:${code}`, { payload: { name: 'x', size } })).status).toBe(200);
    }
    const narrower = model(code, [{ code: 'size', name: 'Size', type: 'integer', indexed: true }]);

    expect(refusal(await save(narrower)).data).toEqual({
      fieldErrors: {
        [`MODEL/${code} content.fields.1.type`]:
          'cannot become integer: the column is text and holds 2 values that do not fit',
      },
    });
    expect(await columnsIn('dev', code)).toMatchObject({ size: 'text' });
    await runSql(`update dev.mt_${code} set size = null where size in ('three', '4.5')`);

    expect(dataOf(await save(narrower))).toMatchObject({ version: 2 });
    expect(await runSql(`select size from dev.mt_${code} order by id`)).toEqual(
      [1, 2, null, null].map((size) => ({ size })),
    );
  });
});

describe('meta:delete', () => {
  it('takes a resource out of the environment; its versions stay, and it comes back under its pid', async () => {
    const code = newCode();
    dataOf(await save(model(code)));
    const { pid } = dataOf(await save(page(code)));

    expect(dataOf(await remove({ resourceType: 'PAGE_SCHEMA', code }))).toEqual({ pid });

    const { token } = await newUser(['ADMIN'], admin.tenant);
    expect((await list(token, code)).status).toBe(404);
    expect((await admin.get(`/meta/resources/${pid}`)).status).toBe(404);
    expect(dataOf(await save(page(code)))).toMatchObject({ pid, version: 2 });
    expect(dataOf(await admin.get(`/meta/resources/${pid}/versions`))).toMatchObject([
      { version: 2, deleted: false },
      { version: 1, deleted: true, content: null },
      { version: 1, deleted: false, content: page(code).content, updatedByName: admin.user.email },
    ]);
    expect((await auditOf(pid)).map(({ action }) => action)).toEqual([
      'metadata.save',
      'metadata.delete',
      'metadata.save',
    ]);
  });

  it('refuses to take away what something refers to, naming it', async () => {
    const code = newCode();
    dataOf(await save(model(code)));
    dataOf(await save(page(code)));

    expect(refusal(await remove({ resourceType: 'MODEL', code })).data).toEqual({
      fieldErrors: expect.objectContaining({ [`PAGE_SCHEMA/${code} content.modelCode`]: `${code} is not a model` }),
    });
    expect(await resourceIn('dev', 'MODEL', code)).not.toBeNull();
  });

  it('keeps the table of a model with its records', async () => {
    const code = newCode();
    dataOf(await save(model(code)));

    dataOf(await remove({ resourceType: 'MODEL', code }));

    expect(await columnsIn('dev', code)).toMatchObject({ name: 'text' });
  });

  it('answers 404 for what is not there, 400 for what it does not understand', async () => {
    expect(refusal(await remove({ resourceType: 'MODEL', code: newCode() }))).toMatchObject({ status: 404 });
    expect(refusal(await remove({ resourceType: 'MODEL', code: 'a', content: {} }))).toMatchObject({ status: 400 });
  });
});

describe('a designer command', () => {
  it.each(['meta:save', 'meta:delete'])(
    '%s needs admin:metadata, which the ADMIN of a tenant has not',
    async (code) => {
      const { token } = await newUser(['ADMIN'], admin.tenant);

      expect(refusal(await execute(token, code, { payload: model('x') }))).toEqual({
        status: 403,
        code: 'FORBIDDEN',
        data: { permission: 'admin:metadata' },
      });
      expect((await call(`/api/meta/commands/execute/${code}`, { body: {} })).status).toBe(401);
    },
  );

  it('is answered once every node serves what it has changed, however long that takes', async () => {
    const code = newCode();
    dataOf(await save(model(code)));
    const { token } = await newUser(['ADMIN'], admin.tenant);
    // The command commits while the resources cannot be read.
    const audit = await holdTable('platform.audit_entry');
    const saving = save(page(code));
    await audit.waiting();
    const holding = holdTable('platform.dsl_resource', 'access exclusive');
    await audit.waiting(2);
    await audit.release();
    const resources = await holding;
    await resources.waiting();

    // Time enough to find the outcome in the row.
    const answered = saving.then(() => 'answered');
    expect(await Promise.race([answered, sleep(1_500, 'not answered')])).toBe('not answered');
    await resources.release();
    dataOf(await saving);
    expect((await list(token, code)).status).toBe(200);
  });

  it('emits its event, like every command', async () => {
    const code = newCode();
    const answer = await save(model(code));

    const events = await runSql('select event_type, command_code from platform.event where execution_pid = $1', [
      answer.headers.get('x-execution-pid'),
    ]);
    expect(events).toEqual([{ eventType: 'meta:save', commandCode: 'meta:save' }]);
  });
});

describe('GET /api/meta/resources', () => {
  it('lists the resources of the environment by type and code', async () => {
    const code = newCode();
    const { warnings, ...made } = dataOf(await save(model(code)));
    expect(warnings).toEqual([]);
    const saved = { ...made, updatedByName: admin.user.email };
    dataOf(await save(page(code)));

    const find = async (query: string, headers = {}) => dataOf(await admin.get(`/meta/resources?${query}`, headers));
    expect(await find(`resourceType=MODEL&code=${code}`)).toEqual({
      records: [saved],
      total: 1,
      pageNum: 1,
      pageSize: 10,
    });
    expect((await find(`code=${code}`)).records).toMatchObject([
      { resourceType: 'MODEL' },
      { resourceType: 'PAGE_SCHEMA' },
    ]);
    expect((await find(`code=${code}`, { 'X-Environment': 'prod' })).total).toBe(0);
    expect(dataOf(await admin.get(`/meta/resources/${saved.pid}`))).toEqual(saved);
  });

  it.each(['resourceType=TABLE', 'code=a&code=b', 'pageSize=0'])('refuses %s', async (query) => {
    expect(refusal(await admin.get(`/meta/resources?${query}`))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
    });
  });
});

describe('GET /api/meta/schemas/{type}', () => {
  const schemaOf = (type: string) => call(`/api/meta/schemas/${type}`, { token: admin.user.token });

  it('is the schema of files of a type, with the codes of the environment', async () => {
    const { status, body } = await schemaOf('COMMAND');

    expect(status).toBe(200);
    expect(body.data.properties.resourceType).toMatchObject({ const: 'COMMAND' });
    expect(JSON.stringify(body.data.properties.content.properties.modelCode)).toContain('"lead"');
  });

  it('is 404 for a type that there is not', async () => {
    expectRefusal(await schemaOf('%20'), 'NOT_FOUND');
  });
});
