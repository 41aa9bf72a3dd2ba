import { call, list } from '../support/api.ts';
import { dataOf, ends, keelson, person } from '../support/cli.ts';
import { newCode } from '../support/models.ts';
import { newTenant, newUser, PASSWORD, type TestTenant } from '../support/world.ts';

let tenant: TestTenant;

beforeEach(async () => {
  tenant = await newTenant();
  person.present = await newUser(['ADMIN'], tenant);
});

const logIn = async (email: string) => (await call('/api/auth/login', { body: { email, password: PASSWORD } })).status;

describe('keelson users', () => {
  it('adds a user with roles and a password, disables and enables it by its e-mail', async () => {
    const email = `${newCode()}@cli.example`;
    const add = ['users', 'add', email, '--name', 'Ada', '--role', 'SALES,ADMIN'];
    await ends(0, [...add, '--password'], { input: `${PASSWORD}\n`, out: `${email} is active, with the pid ` });
    expect(await logIn(email)).toBe(200);
    await ends(0, ['users', 'list', '--keyword', email], {
      out: new RegExp(`\n${email} +Ada +active +SALES, ADMIN +\\S+\n$`),
    });

    await ends(0, ['users', 'disable', email.toUpperCase()], { out: `${email} is disabled\n` });
    expect(await logIn(email)).toBe(401);
    await ends(0, ['users', 'list', '--status', 'disabled'], { out: email });
    await ends(0, ['users', 'enable', email], { out: `${email} is active\n` });
    expect(await logIn(email)).toBe(200);
    await ends(1, add, { err: /^CONFLICT: / });
  });

  it('names what is wrong in the words of the command line', async () => {
    await ends(2, ['users', 'add', 'a@b.example'], { err: '--name is required' });
    await ends(1, ['users', 'disable', 'nobody@cli.example'], { err: 'There is no user nobody@cli.example' });
    await ends(1, ['users', 'add', 'x', '--name', 'Ada', '--role', 'sales'], { err: /email: [^]*--role: must be / });
  });

  it('tells what stopped working with a person', async () => {
    const other = await newUser(['ADMIN'], tenant);
    await dataOf(['keys', 'create', 'robot', '--new-account', '--scope', 'record:read:lead'], 0, { as: other });
    await ends(0, ['users', 'disable', other.email], {
      out: /^\S+ is disabled\nstopped working: service-account robot \(\S+\)\n$/,
    });
  });
});

describe('keelson keys', () => {
  it('makes a key that is shown once, lists it without it, and revokes it', async () => {
    const scope = ['--scope', 'record:read:lead'];
    await ends(1, ['keys', 'create', 'robot', ...scope], { err: 'There is no service account robot: --new-account' });
    const made = await keelson(['keys', 'create', 'robot', '--new-account', ...scope, '--expires', '2d']);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^kls_\S+\n$/) });
    const key = made.out.trim();
    expect((await list(key, 'leads')).status).toBe(200);

    const { out } = await keelson(['keys', 'list']);
    const [, pid = '', prefix = ''] = /\nrobot +(\S+) +(\S+) +works +\S+ +\S+ +record:read:lead\n$/.exec(out) ?? [];
    expect(out).not.toContain(key);
    expect(key.startsWith(prefix)).toBe(true);
    const second = await dataOf(['keys', 'create', 'robot', ...scope]);
    expect((await list(second.key, 'leads')).status).toBe(200);

    await ends(2, ['keys', 'revoke', pid], { err: 'There is no terminal to ask at: add --yes' });
    await ends(0, ['keys', 'revoke', prefix, '--yes'], { out: `The key ${prefix} of robot works no more\n` });
    expect((await list(key, 'leads')).status).toBe(401);
    await ends(1, ['keys', 'revoke', pid, '--yes'], { err: `There is no key ${pid}` });
    await ends(1, ['keys', 'create', 'robot', '--scope', 'everything!'], { err: '--scope' });
    await ends(2, ['keys', 'create', 'robot', ...scope, '--expires', 'soon'], { err: '--expires is a time, or 90s' });
  });
});
