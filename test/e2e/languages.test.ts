import { ulid } from 'ulid';
import { call, execute, list, type Answered } from '../support/api.ts';
import { newModel } from '../support/models.ts';
import { newAdmin, newUnits, unitOf, type Admin } from '../support/promotions.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;

beforeAll(async () => {
  user = await newUser(['ADMIN'], await newTenant());
});

const speaking = (language: string) => ({ headers: { 'accept-language': language } });
const said = ({ status, headers, body }: Answered) => ({
  status,
  language: headers.get('content-language'),
  vary: headers.get('vary'),
  message: body.message,
});

describe('Accept-Language', () => {
  it.each([
    ['zh-CN', 'zh-CN'],
    ['zh', 'zh-CN'],
    ['en', 'en'],
    ['fr-FR, zh-CN;q=0.5, en;q=0.1', 'zh-CN'],
    ['zh-CN;q=0.1, en;q=0.9', 'en'],
    ['zh-CN;q=0, *', 'en'],
    ['de', 'en'],
    ['*', 'en'],
    [';;;q=,,x', 'en'],
  ])('%s is answered in %s', async (accepted, language) => {
    const answered = await call('/nowhere', speaking(accepted));

    const message = language === 'zh-CN' ? '此路径不存在' : 'There is nothing at this path';
    expect(said(answered)).toEqual({ status: 404, language, vary: 'Accept-Language', message });
  });

  it('is English without it', async () => {
    const message = 'Authentication is required';
    expect(said(await call('/api/dynamic/leads/list', speaking('')))).toEqual({
      status: 401,
      language: 'en',
      vary: 'Accept-Language',
      message,
    });
  });

  it('decides over all messages of a failure, and over nothing else in it', async () => {
    const query = { pageSize: 0, sortOrder: 'up', sortField: 'none' };
    const chinese = await list(user.token, 'leads', query, speaking('zh-CN'));

    expect(chinese.body).toEqual({
      code: 'VALIDATION_ERROR',
      message: '请求无效',
      data: {
        fieldErrors: {
          pageSize: '必须是 1 到 500 的整数',
          sortOrder: '必须是以下之一：desc, asc',
          sortField: '不是 lead 的字段',
        },
      },
    });
    const create = await execute(user.token, 'crm:create_lead', { payload: { amount: 'x' } }, speaking('zh-CN'));
    expect(create.body.data.fieldErrors).toEqual({ name: '必填', amount: '必须是十进制数' });
    const login = await call('/api/auth/login', {
      body: { email: 'nobody@x.example', password: 'x' },
      ...speaking('zh'),
    });
    expect(login.body).toEqual({ code: 'UNAUTHORIZED', message: '邮箱或密码错误', data: null });
  });
});

describe('what people who configure are told', () => {
  let admin: Admin;
  const inChinese = { ...speaking('zh-CN') };
  const save = (resourceType: string, code: string, content: object) =>
    execute(admin.user.token, 'meta:save', { payload: { resourceType, code, content } }, inChinese);

  beforeAll(async () => {
    admin = await newAdmin();
  });

  it('of a resource: its schema, its references, and the table that cannot follow', async () => {
    const fields = [
      { code: 'Bad', name: '', type: 'money' },
      { code: 'n', name: 'N', type: 'string', min: 1, required: 'yes' },
    ];
    expect((await save('MODEL', 'lead_x', { name: 'X', fields, colour: 1 })).body).toMatchObject({
      message: '请求无效',
      data: {
        fieldErrors: {
          'content.colour': '不是已知的键',
          'content.fields.0.code': expect.stringMatching(/^必须匹配 /),
          'content.fields.0.name': '不能为空',
          'content.fields.0.type': expect.stringMatching(/^必须是以下之一：string, /),
          'content.fields.1.required': '必须是 true 或 false',
        },
      },
    });
    const { code } = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    expect((await execute(admin.user.token, `test:write_${code}`, { payload: { name: 'x' } })).status).toBe(200);
    const narrower = await save('MODEL', code, { name: code, fields: [{ code: 'name', name: 'N', type: 'integer' }] });
    expect(Object.values(narrower.body.data.fieldErrors)).toEqual([
      '无法改为 integer：列的类型是 text，有 1 个值不符合',
    ]);
    const page = await save('PAGE_SCHEMA', 'no_such', { name: 'P', modelCode: 'no_such', columns: ['a'] });
    expect(Object.values(page.body.data.fieldErrors)).toContain('no_such 不是模型');
  });

  it('of the SQL of a data source', async () => {
    const refused = async (sql: string) =>
      Object.values((await save('DATASOURCE', 'none', { name: 'D', kind: 'sql', sql })).body.data.fieldErrors)[0];
    expect(await refused('select * from public.mt_lead')).toBe('使用了表名前的 schema，数据源不允许使用');
    expect(await refused('select pg_sleep(1)')).toBe('调用了 pg_sleep，数据源不允许调用');
    expect(await refused('delete from mt_lead')).toBe('必须是 SELECT');
    expect(await refused('selec 1')).toMatch(/^不是有效的 SQL：syntax error/);
  });

  it('of a subscription: its address, its filter, and what is probably not meant', async () => {
    const post = (body: object) => call('/api/webhooks', { token: admin.user.token, body, ...inChinese });
    const wrong = { name: 'W', targetUrl: 'http://10.0.0.1/', eventType: 'crm:*', filterExpression: 'a ==' };
    expect((await post(wrong)).body.data.fieldErrors).toEqual({
      targetUrl: '不能是非公网地址（10.0.0.1：私有地址）',
      filterExpression: expect.stringMatching(/^不是有效的条件：第 1 行第 \d+ 列：/),
    });
    const odd = await post({ name: 'W', targetUrl: 'http://127.0.0.1:49999/', eventType: 'crm:nothing' });
    expect(odd.body.data.warnings).toEqual([
      '该环境不会发出 crm:nothing 事件，因此不会有投递',
      '该地址未使用 HTTPS，内容在传输途中可能被读取',
    ]);
    expect([odd.headers.get('content-language'), odd.headers.get('vary')]).toEqual(['zh-CN', 'Accept-Language']);
  });

  it('of a promotion: its conflicts, read by each in their own language', async () => {
    const { code } = await newUnits([{ code: 'name', name: 'Name', type: 'string' }]);
    const pid = await admin.created([await unitOf('PAGE_SCHEMA', code)]);
    const path = `/api/admin/promotions/${pid}`;
    const validated = await call(`${path}/validate`, { token: admin.user.token, body: {}, ...inChinese });
    expect(validated.body.data.conflicts.map((one: { message: string }) => one.message)).toEqual([
      `目标中没有 ${code}`,
    ]);
    const english = await admin.promotion(pid);
    expect(english.body.data.conflicts[0].message).toBe(`${code} is not in the target`);

    const applied = await call(`${path}/apply`, { token: admin.user.token, body: { reason: 'x' }, ...inChinese });
    expect(applied.body.message).toBe('发布状态为 DRAFT；此操作只适用于 VALIDATED');
    const told = await call(path, { token: admin.user.token, ...inChinese });
    expect(told.body.data.timeline.at(-1).error.message).toBe(applied.body.message);
  });

  it('of a success that says more than ok', async () => {
    const headers = { ...inChinese.headers, 'x-idempotent-key': ulid() };
    const create = () => execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } }, { headers });
    expect((await create()).body.message).toBe('ok');
    expect((await create()).body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', message: '首次执行的结果' });
  });
});

describe('$i18n: keys of I18N resources', () => {
  const alreadyConverted = async (language: string): Promise<Answered> => {
    const lead = (await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;
    const convert = { targetRecordId: lead.pid, payload: {} };
    expect((await execute(user.token, 'crm:convert_lead', convert)).status).toBe(200);
    return execute(user.token, 'crm:convert_lead', convert, speaking(language));
  };

  it('are answered in the language of the caller, wherever the command ran', async () => {
    expect(said(await alreadyConverted('zh-CN'))).toMatchObject({ status: 409, message: '该线索已经转换' });
    const english = await alreadyConverted('en-US');
    expect(said(english)).toMatchObject({ status: 409, message: 'The lead has been converted already' });

    // The failure is kept as the key: who reads it later reads it in their own language.
    const [failed] = await runSql<{ pid: string; error: { message: string } }>(
      `select pid, error from platform.command_execution where user_pid = $1 and status = 'FAILED' limit 1`,
      [user.pid],
    );
    expect(failed?.error.message).toBe('$i18n:crm.lead_already_converted');
    const execution = await call(`/api/meta/commands/executions/${failed?.pid}`, {
      token: user.token,
      ...speaking('zh-CN'),
    });
    expect(execution.body.data.error).toMatchObject({ code: 'CONFLICT', message: '该线索已经转换' });
  });

  it('take effect, like any resource, with the answer to the change; unknown ones stay as they are', async () => {
    const admin = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const id = `t${ulid().toLowerCase()}`;
    const rule = { assert: 'false', message: `$i18n:test.${id}`, code: 'VALIDATION_ERROR', field: 'name' };
    const save = (resourceType: string, code: string, content: object) =>
      execute(admin.token, 'meta:save', { payload: { resourceType, code, content } });
    const command = `test:never_${id}`;
    const content = { name: 'Never', modelCode: 'lead', operations: ['CREATE'], rules: [rule] };
    expect((await save('COMMAND', command, content)).status).toBe(200);
    const refused = async (language: string) => {
      const { body } = await execute(admin.token, command, { payload: { name: 'x' } }, speaking(language));
      return { message: body.message, name: body.data.fieldErrors.name };
    };

    expect(await refused('fr')).toEqual({ message: `$i18n:test.${id}`, name: `$i18n:test.${id}` });
    for (const [locale, text] of [['en', 'Never'] as const, ['fr', 'Jamais'] as const]) {
      const saved = await save('I18N', `${id}.${locale}`, { locale, messages: { [`test.${id}`]: text } });
      expect(saved.status).toBe(200);
    }
    expect(await refused('fr-CA')).toEqual({ message: 'Jamais', name: 'Jamais' });
    expect(await refused('zh-CN')).toEqual({ message: 'Never', name: 'Never' });
    for (const locale of ['en', 'fr']) {
      const payload = { resourceType: 'I18N', code: `${id}.${locale}` };
      expect((await execute(admin.token, 'meta:delete', { payload })).status).toBe(200);
    }
    expect(await refused('fr')).toEqual({ message: `$i18n:test.${id}`, name: `$i18n:test.${id}` });
    await execute(admin.token, 'meta:delete', { payload: { resourceType: 'COMMAND', code: command } });
  });
});
