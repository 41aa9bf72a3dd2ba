import { call, dataOf, execute, refusal } from '../support/api.ts';
import { command, model } from '../support/drafts.ts';
import { newCode } from '../support/models.ts';
import { platformAdmin } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

const admin = platformAdmin();

const save = (payload: unknown) => execute(admin.user.token, 'meta:save', { payload });

describe('the pattern of a field', () => {
  const phone = { code: 'phone', name: 'Phone', type: 'string', pattern: '^\\d{3}\\-\\d{4}$' };

  it('is checked by the engine that uses it', async () => {
    const code = newCode();
    dataOf(await save(model(code, phone)));
    dataOf(await save(command(code, code)));
    const { token } = await newUser(['ADMIN'], admin.tenant);
    const create = (value: string) =>
      execute(token, `t:${code}`, { payload: { phone: value }, operationType: 'CREATE' });

    expect(await create('555-1234')).toMatchObject({ status: 200, body: { data: { phone: '555-1234' } } });
    expect(refusal(await create('5551234'))).toMatchObject({
      status: 400,
      data: { fieldErrors: { phone: 'must match ^\\d{3}\\-\\d{4}$' } },
    });
  });

  it("is told in its author's words, in the caller's language", async () => {
    const code = newCode();
    const texts = (locale: string, message: string) => ({
      resourceType: 'I18N',
      code: `${code}.${locale.toLowerCase()}`,
      content: { locale, messages: { [`${code}.phone`]: message } },
    });
    for (const bundle of [texts('en', 'Write it as 555-1234'), texts('zh-CN', '格式如 555-1234')])
      dataOf(await save(bundle));
    dataOf(await save(model(code, { ...phone, patternMessage: `$i18n:${code}.phone` })));
    dataOf(await save(command(code, code)));
    const { token } = await newUser(['ADMIN'], admin.tenant);
    const create = (language: string) =>
      call(`/api/meta/commands/execute/t:${code}`, {
        method: 'POST',
        token,
        headers: { 'accept-language': language },
        body: { payload: { phone: '5551234' }, operationType: 'CREATE' },
      });

    for (const [language, problem] of [
      ['en', 'Write it as 555-1234'],
      ['zh-CN', '格式如 555-1234'],
    ] as const) {
      expect(refusal(await create(language))).toMatchObject({ status: 400, data: { fieldErrors: { phone: problem } } });
    }
  });

  it.each([
    ['a(?=b)', 'must not look ahead or behind: character 2'],
    ['(a)\\1', 'must not refer back to a group: character 4'],
    ['a{1000}'.repeat(70), 'is too large: its repetitions make more than 2000 steps'],
  ])('%s is refused when it is saved, with the reason', async (pattern, problem) => {
    const broken = { ...phone, pattern };
    const input = {
      name: 'A',
      trigger: { type: 'manual' },
      input: [broken],
      steps: [{ id: 'w', type: 'wait', seconds: 1 }],
    };

    const ofModel = refusal(await save(model(newCode(), broken)));
    const ofInput = refusal(await save({ resourceType: 'AUTOMATION', code: newCode(), content: input }));

    expect(ofModel).toMatchObject({ status: 400, data: { fieldErrors: { 'content.fields.0.pattern': problem } } });
    expect(ofInput.status).toBe(400);
    expect(Object.values((ofInput.data as { fieldErrors: object }).fieldErrors)).toContain(problem);
  });
});
