import { call, dataOf, refusal } from '../support/api.ts';
import { newCode } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { auditOf, ENVIRONMENT_PIDS, platformAdmin } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

beforeAll(async () => {
  await startOwnNode('secrets');
});
const admin = platformAdmin();

const SECRETS = '/admin/environments';
const set = (environment: string, name: string, value: unknown) =>
  admin.put(`${SECRETS}/${environment}/secrets/${name}`, { value });
const remove = (environment: string, name: string) => admin.delete(`${SECRETS}/${environment}/secrets/${name}`);
const namesIn = async (environment: string) =>
  dataOf(await admin.get(`${SECRETS}/${environment}/secrets`)).map(({ name }: { name: string }) => name);
const newName = () => `S_${newCode().toUpperCase()}`;
const VALUE = 'a-very-secret-value';

describe('the secrets of an environment', () => {
  it('are set and exchanged by name; what is answered and listed has no value', async () => {
    const name = newName();
    const put = await set('staging', name, VALUE);
    const listed = await admin.get(`${SECRETS}/${ENVIRONMENT_PIDS.staging}/secrets`);

    const shown = {
      name,
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedBy: admin.user.pid,
      updatedByName: admin.user.email,
    };
    expect(dataOf(put)).toEqual(shown);
    expect(dataOf(listed)).toContainEqual(shown);
    dataOf(await set('staging', name, 'another value'));
    expect((await namesIn('staging')).filter((one: string) => one === name)).toHaveLength(1);
    expect(await namesIn('prod')).not.toContain(name);
    expect(JSON.stringify([put.body, listed.body])).not.toContain(VALUE);
  });

  it('are encrypted at rest, bound to their place, and audited without values', async () => {
    const name = newName();
    await set('dev', name, VALUE);
    await set('staging', name, VALUE);
    dataOf(await remove('dev', name));

    const stored = await runSql<{ sealed: string }>('select sealed from platform.environment_secret where name = $1', [
      name,
    ]);
    expect(stored).toEqual([{ sealed: expect.stringMatching(/^v1\./) }]);
    const entries = (await auditOf(ENVIRONMENT_PIDS.dev)).slice(-2);
    expect(entries).toMatchObject([
      { action: 'environment.secret.set', actor: { userPid: admin.user.pid }, after: { name } },
      { action: 'environment.secret.delete', after: { name } },
    ]);
    const everything = await runSql('select * from platform.audit_entry');
    expect(JSON.stringify([stored, everything])).not.toContain(VALUE);
  });

  it.each(['lower', '9A', 'A-B', 'A'.repeat(65)])('cannot be called %s', async (name) => {
    expect(refusal(await set('dev', name, VALUE))).toMatchObject({
      status: 400,
      data: { fieldErrors: { name: expect.any(String) } },
    });
  });

  it.each<[what: string, value: unknown]>([
    ['missing', undefined],
    ['empty', ''],
    ['a number', 5],
    ['null', null],
    ['too long', 'x'.repeat(8_193)],
    ['a text with NUL in it', 'a\0b'],
  ])('cannot be %s', async (_what, value) => {
    const answer = await set('dev', newName(), value);
    expect(refusal(answer)).toMatchObject({ status: 400, data: { fieldErrors: { value: expect.any(String) } } });
  });

  it('need admin:environments, an environment and, to be deleted, to be there', async () => {
    const token = (await newUser(['ADMIN'], admin.tenant)).token;
    const path = `/api${SECRETS}/dev/secrets`;
    for (const [method, at, body] of [
      ['GET', path],
      ['PUT', `${path}/A`, { value: 'x' }],
      ['DELETE', `${path}/A`],
    ] as const) {
      expect(refusal(await call(at, { method, token, ...(body && { body }) }))).toMatchObject({
        status: 403,
        data: { permission: 'admin:environments' },
      });
    }
    expect(refusal(await set('nowhere', 'A', 'x'))).toMatchObject({ status: 404 });
    expect(refusal(await remove('dev', newName()))).toMatchObject({ status: 404 });
  });
});
