import { execute, dataOf } from '../support/api.ts';
import { newCode, newModel, roleDraft, save } from '../support/models.ts';
import { resourceIn, unitOf, platformAdmin } from '../support/promotions.ts';

const admin = platformAdmin();

const saved = async (payload: object) => dataOf(await execute(admin.user.token, 'meta:save', { payload }));
const bundle = (code: string, locale: string, key: string) => ({
  resourceType: 'I18N',
  code,
  content: { locale, messages: { [key]: 'a text' } },
});

/** A command with a rule whose message is a key. */
async function commandWith(key: string) {
  const { code } = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
  const rules = [{ assert: 'true', message: `$i18n:${key}` }];
  const content = { name: code, modelCode: code, operations: ['CREATE' as const], fields: '*' as const, rules };
  return { resourceType: 'COMMAND', code: `test:${code}_rule`, content };
}

describe('a role', () => {
  it('is saved with a warning for each permission code that protects nothing', async () => {
    const { code, command } = await newModel({
      fields: [{ code: 'name', name: 'Name', type: 'string', readPermission: true }],
    });
    const known = ['*', 'record:read:*', `record:read:${code}`, `command:execute:${command}`, 'command:execute:test:*'];
    const codes = [...known, `field:read:${code}.name`, 'webhook:manage', 'im:read:*', 'audit:*'];
    const unknown = ['record:read:nope', `field:read:${code}.absent`, 'command:execute:nope:*', 'made:up'];

    const { warnings } = await saved(roleDraft(newCode().toUpperCase(), [...codes, ...unknown]));

    expect(warnings).toEqual(
      unknown.map((one, index) => ({
        path: `content.codes.${codes.length + index}`,
        message: `${one} protects nothing`,
      })),
    );
  });
});

describe('a message by its key', () => {
  it('is saved with a warning when no I18N resource has the key', async () => {
    const key = newCode();
    const command = await commandWith(key);

    expect((await saved(command)).warnings).toEqual([
      { path: 'content.rules.0.message', message: `no I18N resource has the key ${key}` },
    ]);
    expect((await saved(bundle(newCode(), 'fr', key))).warnings).toEqual([]);
    expect((await saved(command)).warnings).toEqual([]);
    expect((await saved(await commandWith('validation.required'))).warnings).toEqual([]);
  });

  it('is a warning of a promotion that does not bring its text, and autoInclude brings it in all languages', async () => {
    const key = newCode();
    const command = await commandWith(key);
    const [french, german, other] = [newCode(), newCode(), newCode()];
    await save(
      'dev',
      bundle(french, 'fr', key),
      bundle(german, 'de', key),
      bundle(other, 'fr', `${key}_other`),
      command,
    );
    const units = [await unitOf('COMMAND', command.code), await unitOf('MODEL', command.content.modelCode)];
    const pid = await admin.created(units);

    expect(dataOf(await admin.validate(pid))).toMatchObject({
      status: 'VALIDATED',
      conflicts: [{ type: 'UNKNOWN_REFERENCE', severity: 'warning', code: command.code }],
    });
    const included = dataOf(await admin.validate(pid, { autoInclude: true }));
    expect(included).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    dataOf(await admin.apply(pid));
    expect(await resourceIn('staging', 'I18N', french)).not.toBeNull();
    expect(await resourceIn('staging', 'I18N', german)).not.toBeNull();
    expect(await resourceIn('staging', 'I18N', other)).toBeNull();
  });
});
