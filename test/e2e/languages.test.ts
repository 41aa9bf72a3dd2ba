import { ulid } from 'ulid';
import { call, execute, list, type Answered } from '../support/api.ts';
import { rows } from '../support/platform.ts';
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
      ...{ status: 401, language: 'en', vary: 'Accept-Language', message },
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
    const [failed] = await rows<{ pid: string; error: { message: string } }>(
      `select pid, error from platform.command_execution where user_pid = ? and status = 'FAILED' limit 1`,
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
