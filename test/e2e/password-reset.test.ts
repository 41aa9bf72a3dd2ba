import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { hashing } from '../../src/platform/auth/accounts/password-hash.ts';
import { call, list, type Answered } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { anotherNode, nodeInside } from '../support/nodes.ts';
import { runSql } from '../support/platform.ts';
import { startProgram } from '../support/program.ts';
import { newTenant, newUser, PASSWORD, type TestUser } from '../support/world.ts';

const NEW = 'quite another password';
const ON_ITS_WAY = { code: '0', message: 'if somebody has this e-mail, a message is on its way', data: null };
const DEAD = { token: 'does not work, or no longer; ask for a new one' };

const answered = ({ status, body }: Answered) => ({ status, body });
const ask = (email: unknown, baseUrl?: string) =>
  call('/api/auth/password-reset/request', { body: { email }, ...(baseUrl && { baseUrl }) });
const confirm = (token: unknown, newPassword: unknown = NEW, baseUrl?: string) =>
  call('/api/auth/password-reset/confirm', { body: { token, newPassword }, ...(baseUrl && { baseUrl }) });
const logIn = (email: string, password: string) => call('/api/auth/login', { body: { email, password } });

let admin: TestUser;
let user: TestUser;
beforeEach(async () => {
  admin = await newUser(['PLATFORM_ADMIN'], await newTenant());
  user = await newUser(['SALES'], await newTenant());
});

/** The e-mails that wait for somebody in the outbox, the newest first. */
async function mailsTo(email: string): Promise<{ subject: string; text: string; at: string }[]> {
  const { body } = await call('/api/admin/mail-outbox', { token: admin.token });
  return (body.data as { to: string; subject: string; text: string; at: string }[]).filter(({ to }) => to === email);
}

async function newToken(): Promise<string> {
  const before = (await mailsTo(user.email)).length;
  await ask(user.email);
  const [mail] = await until('the e-mail', async () => {
    const mails = await mailsTo(user.email);
    return mails.length > before ? mails : null;
  });
  return /klp_[0-9a-f]{64}/.exec(mail?.text ?? '')?.[0] ?? '';
}

async function resetsOf({ id }: TestUser): Promise<{ hash: string }[]> {
  return runSql('select hash from platform.password_reset where user_id = $1', [id]);
}

describe('POST /api/auth/password-reset/request', () => {
  it('answers the same for known, unknown and disabled e-mails, and sends only to the known', async () => {
    const disabled = await newUser(['SALES'], await newTenant());
    await runSql(`update platform."user" set status = 'disabled' where id = $1`, [disabled.id]);

    for (const email of [disabled.email, 'nobody@test.example', '%', user.email.toUpperCase()]) {
      expect({ email, ...answered(await ask(email)) }).toEqual({ email, status: 200, body: ON_ITS_WAY });
    }

    await until('the e-mail', async () => (await mailsTo(user.email)).length === 1);
    expect(await mailsTo(disabled.email)).toEqual([]);
    expect(await resetsOf(disabled)).toEqual([]);
  });

  it('writes in the language of who asks', async () => {
    const body = { email: user.email };
    await call('/api/auth/password-reset/request', { body, headers: { 'accept-language': 'zh-CN' } });

    const [mail] = await until('the e-mail', async () => {
      const mails = await mailsTo(user.email);
      return mails.length > 0 ? mails : null;
    });

    expect(mail).toMatchObject({ subject: '设置您的密码', text: expect.stringMatching(/您的重置令牌是\n\n {2}klp_/) });
  });

  it('stores the hash of the token, not the token', async () => {
    const token = await newToken();

    const [stored] = await resetsOf(user);

    expect(stored?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(token).not.toContain(stored?.hash);
  });

  it('lets at most five resets of one user wait', async () => {
    for (let mails = 0; mails < 5; mails += 1) await newToken();

    expect(answered(await ask(user.email))).toEqual({ status: 200, body: ON_ITS_WAY });
    await newUserGetsMail();

    expect(await resetsOf(user)).toHaveLength(5);
    expect(await mailsTo(user.email)).toHaveLength(5);
  });

  it('answers 400 VALIDATION_ERROR without an e-mail', async () => {
    const { status, body } = await ask({ $ne: '' });

    expect({ status, errors: body.data.fieldErrors }).toEqual({ status: 400, errors: { email: 'must be a text' } });
  });
});

/** Somebody else's reset goes the whole way: whatever was asked before it has been done, too. */
async function newUserGetsMail(): Promise<void> {
  const other = await newUser(['SALES'], await newTenant());
  await ask(other.email);
  await until('the e-mail', async () => (await mailsTo(other.email)).length === 1);
}

describe('POST /api/auth/password-reset/confirm', () => {
  it('sets the password and ends every session on all nodes', async () => {
    const baseUrl = await anotherNode();
    const token = await newToken();

    const { status, body } = await confirm(token, NEW, baseUrl);

    expect({ status, body }).toEqual({ status: 200, body: { code: '0', message: 'ok', data: null } });
    expect((await list(user.token, 'leads')).status).toBe(401);
    expect((await list(user.token, 'leads', {}, { baseUrl })).status).toBe(401);
    expect((await logIn(user.email, PASSWORD)).status).toBe(401);
    expect((await logIn(user.email, NEW)).status).toBe(200);
  });

  it('works once: of several at once, one', async () => {
    const [token, second] = [await newToken(), await newToken()];

    const tries = await Promise.all([1, 2, 3].map((number) => confirm(token, `${NEW} ${number}`)));

    expect(tries.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    for (const used of [token, second]) {
      const { status, body } = await confirm(used);
      expect({ status, errors: body.data.fieldErrors }).toEqual({ status: 400, errors: DEAD });
    }
  });

  it('works for 30 minutes', async () => {
    const token = await newToken();
    const [{ minutes } = { minutes: 0 }] = await runSql<{ minutes: number }>(
      'select extract(epoch from expires_at - now())::float / 60 as minutes from platform.password_reset where user_id = $1',
      [user.id],
    );
    expect(minutes).toBeGreaterThan(29);
    expect(minutes).toBeLessThanOrEqual(30);

    await runSql('update platform.password_reset set expires_at = now() where user_id = $1', [user.id]);

    expect((await confirm(token)).body.data.fieldErrors).toEqual(DEAD);
  });

  it('works for nobody who has been disabled since', async () => {
    const token = await newToken();
    await call(`/api/admin/users/${user.pid}`, { method: 'PATCH', token: admin.token, body: { status: 'disabled' } });

    expect((await confirm(token)).body.data.fieldErrors).toEqual(DEAD);
  });

  it('keeps the rules of passwords, and the token', async () => {
    const token = await newToken();

    for (const password of ['short', user.email]) {
      const { status, body } = await confirm(token, password);
      expect([status, Object.keys(body.data.fieldErrors as object)]).toEqual([400, ['newPassword']]);
    }
    expect((await confirm(token)).status).toBe(200);
  });

  it('hashes nothing for a token that does not work', async () => {
    const baseUrl = await nodeInside();
    const before = hashing.count;

    for (const token of ['x', `klp_${'0'.repeat(64)}`, "' or 1=1 --"]) {
      expect((await confirm(token, NEW, baseUrl)).body.data.fieldErrors).toEqual(DEAD);
    }

    expect(hashing.count).toBe(before);
  });
});

describe('SMTP_URL', () => {
  it('names the server that e-mails go through, with a link where PUBLIC_URL is set', async () => {
    const received: string[] = [];
    const server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData(stream, _session, done) {
        let text = '';
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        stream.on('end', () => {
          received.push(text);
          done();
        });
      },
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
    const { port } = server.server.address() as AddressInfo;
    const program = await startProgram({
      KEELSON_ROLES: 'api',
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'The CRM <crm@test.example>',
      PUBLIC_URL: 'https://crm.test.example/',
    });
    try {
      expect((await ask(user.email, program.url)).status).toBe(200);
      const [mail = ''] = await until('the e-mail', () => (received.length > 0 ? received : null));

      expect(mail).toContain('From: The CRM <crm@test.example>');
      expect(mail).toContain(`To: ${user.email}`);
      const text = mail.replace(/=\r\n/g, '').replace(/=3D/g, '=');
      const [, token] = /https:\/\/crm\.test\.example\/console\/reset-password#(klp_[0-9a-f]{64})/.exec(text) ?? [];
      expect((await confirm(token)).status).toBe(200);
      expect(program.logs()).not.toContain(token);
      // Where e-mails are sent, none can be read.
      const outbox = await call('/api/admin/mail-outbox', { token: admin.token, baseUrl: program.url });
      expect(outbox.status).toBe(404);
    } finally {
      await program.stop();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  it('that does not answer delays nobody and fails nothing but the e-mail', async () => {
    const program = await startProgram({ KEELSON_ROLES: 'api', SMTP_URL: 'smtp://127.0.0.1:1' });
    try {
      expect(answered(await ask(user.email, program.url))).toEqual({ status: 200, body: ON_ITS_WAY });
      await until('it is logged', () => program.logs().includes('an e-mail could not be sent'));
      expect(program.logs()).not.toContain('klp_');
    } finally {
      await program.stop();
    }
  });
});
