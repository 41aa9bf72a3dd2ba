import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ulid } from 'ulid';
import { EnvironmentSecretEntity } from '../../src/features/environments/environment-secret.entity.ts';
import { SecretBox } from '../../src/foundation/secrets/secret-box.ts';
import { newAutomation, runToEnd } from '../support/automations.ts';
import { call, execute, dataOf, refusal } from '../support/api.ts';
import { newChannel, post } from '../support/im.ts';
import { newCode, save } from '../support/models.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { startProgram, type Program } from '../support/program.ts';
import { newAdmin, type Admin } from '../support/promotions.ts';
import { Receiver } from '../support/receiver.ts';
import { runSql } from '../support/platform.ts';
import { createSubscription, webhooks } from '../support/webhook-api.ts';
import { attemptsOf, ended, waiting } from '../support/webhooks.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const CLI = fileURLToPath(new URL('../../cli/keelson.mjs', import.meta.url));
const [OLD, NEW, LOST] = ['o'.repeat(32), 'n'.repeat(32), 'l'.repeat(32)];
const VALUE = 'a-very-secret-value';
const SIGNING = `whsec_${Buffer.from('a canary of these tests alone').toString('base64')}`;
/** More than one request works through. */
const MANY = 2_100;

let own: OwnProgram;
let program: Program;
let admin: Admin;
let tenant: TestTenant;
let user: TestUser;
let receiver: Receiver;
let old: Stored;

beforeAll(async () => {
  own = await startOwnProgram('secrets_key', { SECRETS_KEY: OLD, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  program = own.program;
  admin = await newAdmin();
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
  receiver = await Receiver.start();
  receiver.answer = () => ({ headers: { 'content-type': 'application/json' }, body: '[]' });
  old = await store();
});
afterAll(async () => {
  await program.stop();
  await own.stop();
});

/** One of each that has a secret. */
type Stored = Awaited<ReturnType<typeof store>>;
async function store() {
  const name = `S_${newCode().toUpperCase()}`;
  dataOf(await admin.put(`/admin/environments/dev/secrets/${name}`, { value: VALUE }));
  const headers = { authorization: `Bearer {{secret:${name}}}` };
  const source = newCode();
  const content = { name: source, kind: 'rest', url: receiver.url, headers } as const;
  await save('dev', { resourceType: 'DATASOURCE', code: source, content });
  const retry = { maxAttempts: 3, initialSeconds: 0.1 };
  const stepHeaders = { 'X-Key': `"{{secret:${name}}}"` };
  const automation = await newAutomation({
    steps: [{ id: 'call', type: 'http', url: `"${receiver.url}"`, headers: stepHeaders, retry }],
  });
  const targetUrl = `${receiver.url}/${name}`;
  const subscribed = { targetUrl, secret: SIGNING, headers: { Authorization: `Bearer ${VALUE}` } };
  const { pid: subscription } = await createSubscription(user, subscribed);
  const { code: channel } = await newChannel(tenant);
  return { name, source, automation, subscription, channel };
}

async function restart(secretsKey: string): Promise<void> {
  await program.stop();
  program = await startProgram({ ...own.settings, SECRETS_KEY: secretsKey });
}

const test = ({ subscription }: Stored) => webhooks(user, `/${subscription}/test`, { body: { sample: true } });
const read = ({ source }: Stored) => call(`/api/datasource/list?datasourceId=${source}`, { token: admin.user.token });
const say = ({ channel }: Stored) => post(channel, { conversationId: ulid(), sender: 'ada', text: 'hello' });
const run = ({ automation }: Stored) => runToEnd(admin.user.token, automation);
const unreadable = (secret: string) => ({ code: 'CONFLICT', data: { reason: 'SECRET_UNREADABLE', secret } });

async function expectOpen(stored: Stored): Promise<void> {
  expect((await test(stored)).body.data).toMatchObject({ delivered: true });
  expect(receiver.received.at(-1)?.headers.authorization).toBe(`Bearer ${VALUE}`);
  expect((await read(stored)).status).toBe(200);
  expect(receiver.received.at(-1)?.headers.authorization).toBe(`Bearer ${VALUE}`);
  expect((await say(stored)).status).toBe(202);
  expect(await run(stored)).toMatchObject({ status: 'SUCCEEDED' });
}

/** `keelson secrets reseal`, as an operator runs it. */
function reseal(...options: string[]) {
  const env = { PATH: process.env.PATH, KEELSON_URL: process.env.KEELSON_TEST_URL, KEELSON_TOKEN: admin.user.token };
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'secrets', 'reseal', ...options], { env }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, out, err }),
    );
  });
}

/** Puts secrets into dev that were sealed under a key. */
async function insertSecrets(key: string, names: readonly string[]): Promise<void> {
  const box = new SecretBox([key]);
  const stamp = { environment: 'dev', updatedBy: admin.user.pid, updatedAt: new Date() };
  const em = (await container()).orm.em.fork();
  const secrets = names.map((name) => ({ ...stamp, name, sealed: box.seal(VALUE, `environment:dev:${name}`) }));
  await em.insertMany(EnvironmentSecretEntity, secrets);
}

describe('a secret whose key is gone', () => {
  let fresh: Stored;
  beforeAll(async () => {
    await restart(NEW);
    fresh = await store();
  });

  it('is named by the test of a webhook, and the others are listed, tested and served', async () => {
    const tested = refusal(await test(old));
    expect(tested).toMatchObject({ status: 409, ...unreadable(`webhook:${old.subscription}:headers`) });
    const listed = dataOf(await webhooks(user)).records as { pid: string; headers: unknown }[];
    expect(listed.map(({ pid }) => pid)).toEqual(expect.arrayContaining([old.subscription, fresh.subscription]));
    dataOf(await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada', status: 'new' } }));

    expect(await ended(fresh.subscription)).toMatchObject({ status: 'SUCCEEDED' });
    const [attempt] = await attemptsOf((await waiting(old.subscription)).pid);
    expect(attempt).toMatchObject({ errorClass: 'blocked', errorMessage: expect.stringContaining('set it again') });
  });

  it('is named by a data source, a step and a channel, whose neighbours go on', async () => {
    const secret = `environment:dev:${old.name}`;
    expect(refusal(await read(old))).toMatchObject({ status: 409, ...unreadable(secret) });
    const failed = { status: 'FAILED', error: unreadable(secret), steps: [{ id: 'call', attempt: 1 }] };
    expect(await run(old)).toMatchObject(failed);
    expect(refusal(await say(old))).toMatchObject({ status: 409, ...unreadable(`im:dev:${old.channel}`) });

    await expectOpen(fresh);
    expect(program.logs()).not.toContain(VALUE);
  });

  it('does not outlast a rotation, which sets it again', async () => {
    const { pid } = await createSubscription(user, { targetUrl: receiver.url, secret: SIGNING });
    const sealed = new SecretBox([LOST]).seal('x', `webhook:${pid}:secret`);
    await runSql(`update platform.webhook_subscription set secrets = $1::json where pid = $2 returning pid`, [
      JSON.stringify([{ sealed, createdAt: new Date().toISOString(), expiresAt: null }]),
      pid,
    ]);
    const tested = () => webhooks(user, `/${pid}/test`, { body: { sample: true } });
    expect((await tested()).status).toBe(409);

    dataOf(await webhooks(user, `/${pid}/rotate-secret`, { body: {} }));

    expect((await tested()).body.data).toMatchObject({ delivered: true });
  });
});

describe('keelson secrets reseal', () => {
  it('works through all that is stored, so that the old key can be taken away', async () => {
    await restart(`${NEW},${OLD}`);
    await insertSecrets(
      OLD,
      Array.from({ length: MANY }, (_, index) => `MANY_${String(index).padStart(5, '0')}`),
    );
    await insertSecrets(LOST, ['LOST']);
    await expectOpen(old);

    const first = await reseal('--json');
    const again = await reseal();

    expect(first).toMatchObject({ code: 1, err: expect.stringMatching(/^(\d+ are left\n)+$/) });
    // The secret, the subscription, the channel.
    expect(JSON.parse(first.out)).toEqual({ resealed: MANY + 3, unreadable: ['environment:dev:LOST'] });
    expect(again.out).toContain(
      '0 sealed under the first SECRETS_KEY\ncannot be opened, set it again: environment:dev:LOST',
    );

    await restart(NEW);
    await expectOpen(old);
    dataOf(await admin.delete('/admin/environments/dev/secrets/LOST'));
    expect(await reseal()).toMatchObject({ code: 0, out: '0 sealed under the first SECRETS_KEY\n' });
    const audited = await runSql<{ after: { store: string; resealed: number } }>(
      `select after from platform.audit_entry where action = 'secrets.reseal' order by id`,
    );
    expect(audited.reduce((sum, { after }) => sum + after.resealed, 0)).toBe(MANY + 3);
    expect(JSON.stringify(audited) + program.logs()).not.toContain(VALUE);
  });

  it('is for platform administrators, and refuses a cursor of no answer', async () => {
    const path = '/api/admin/secrets/reseal';
    expect(refusal(await call(path, { token: user.token, body: {} }))).toMatchObject({ status: 403 });
    for (const cursor of ['nothing:1', 'webhooks', "webhooks:' or 1=1"]) {
      expect(refusal(await call(path, { token: admin.user.token, body: { cursor } }))).toMatchObject({
        status: 400,
        data: { fieldErrors: { cursor: expect.any(String) } },
      });
    }
  });
});
