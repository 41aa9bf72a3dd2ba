import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { resetMailWorkflowId } from '../../workflows/contracts.ts';
import { call } from '../support/api.ts';
import { temporal, until } from '../support/faults.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { runSql } from '../support/platform.ts';
import { startProgram, type Program } from '../support/program.ts';
import { newTenant, newUser, PASSWORD, type TestUser } from '../support/world.ts';

/*
 * Setup: a program of its own, and a mail server that refuses as each test says.
 * Timeline: somebody asks for a reset; the mail server refuses, for the moment or for good; perhaps the
 * program is killed. What this proves: an e-mail that was not taken is tried again until it is, whoever
 * lives, and no token gets into a history.
 */
const NEW = 'quite another password';

let own: OwnProgram;
let again: Program | null = null;
let smtp: SMTPServer;
let user: TestUser;
/** The SMTP code with which the next messages are refused; 0: they are taken. */
let refusals: number[] = [];
const received: string[] = [];
let offered = 0;

beforeAll(async () => {
  smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, _session, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        offered += 1;
        const responseCode = refusals.shift() ?? 0;
        if (responseCode > 0) return done(Object.assign(new Error('refused'), { responseCode }));
        received.push(bodyOf(text));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', () => resolve()));
  const { port } = smtp.server.address() as AddressInfo;
  own = await startOwnProgram('resetmail', { SMTP_URL: `smtp://127.0.0.1:${port}` });
});
afterAll(async () => {
  await again?.stop();
  await own.stop();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});
beforeEach(async () => {
  user = await newUser(['VIEWER'], await newTenant());
  received.length = 0;
  offered = 0;
});

/** The text of an e-mail, whatever it is encoded in. */
function bodyOf(mail: string): string {
  const [head = '', ...rest] = mail.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(body, 'base64').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

const ask = (language = 'en') =>
  call('/api/auth/password-reset/request', {
    body: { email: user.email },
    headers: { 'accept-language': language },
  });
const handle = async () => (await temporal()).workflow.getHandle(resetMailWorkflowId(user.pid));
const resets = () => runSql('select hash from platform.password_reset where user_id = $1', [user.id]);

/** @param leftOver whether an attempt may have been killed between the row and the e-mail */
async function expectOneMailThatWorks(leftOver = false): Promise<void> {
  const [mail = ''] = await until('the e-mail', () => (received.length > 0 ? received : null));
  await (await handle()).result();
  expect(received).toHaveLength(1);
  if (!leftOver) expect(await resets()).toHaveLength(1);
  const token = /klp_[0-9a-f]{64}/.exec(mail)?.[0];
  const confirmed = await call('/api/auth/password-reset/confirm', { body: { token, newPassword: NEW } });
  expect(confirmed.status).toBe(200);
  const history = JSON.stringify(await (await handle()).fetchHistory());
  const payloads = [...history.matchAll(/"data":"([^"]+)"/g)].map(([, data]) => Buffer.from(data ?? '', 'base64'));
  expect(payloads.join()).toContain(user.pid);
  for (const secret of ['klp_', user.email]) expect(history + payloads.join()).not.toContain(secret);
}

describe('a reset that the mail server does not take', () => {
  it('for the moment is tried again in the language of who asked, and works', async () => {
    refusals = [451, 421, 451];
    expect((await ask('zh-CN')).status).toBe(200);

    await expectOneMailThatWorks();
    expect(offered).toBe(4);
    expect(received[0]).toContain(`${user.email}，您好：`);
  });

  it('is one for all that were asked for meanwhile', async () => {
    refusals = Array<number>(6).fill(451);
    for (let times = 0; times < 5; times += 1) expect((await ask()).status).toBe(200);

    await expectOneMailThatWorks();
  });

  it('for good is not tried again, and takes up no place', async () => {
    refusals = [550];
    expect((await ask()).status).toBe(200);

    await until('the refusal', async () => offered === 1 && (await resets()).length === 0);
    // The next one is taken at once: nothing else was under way.
    expect((await ask()).status).toBe(200);
    await until('the e-mail', () => received.length === 1);
    await expect((await handle()).describe()).rejects.toThrow(/not found/i);
    expect(offered).toBe(2);
  });

  it('survives the program that tried it', async () => {
    refusals = Array<number>(1_000).fill(451);
    expect((await ask()).status).toBe(200);
    await until('the workflow', async () =>
      (await handle()).describe().then(
        () => true,
        () => false,
      ),
    );
    await own.program.stop('SIGKILL');
    // What it has sent until then is still refused.
    const connections = () =>
      new Promise<number>((resolve) => smtp.server.getConnections((_error, count) => resolve(count)));
    await until('its connections are gone', async () => (await connections()) === 0);
    refusals = [];
    again = await startProgram(own.settings);
    process.env.KEELSON_TEST_URL = again.url;

    await expectOneMailThatWorks(true);
    expect((await call('/api/auth/login', { body: { email: user.email, password: PASSWORD } })).status).toBe(401);
  });
});
