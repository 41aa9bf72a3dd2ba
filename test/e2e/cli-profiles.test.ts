import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { call, execute } from '../support/api.ts';
import { ends, ENTRY, keelson, person } from '../support/cli.ts';
import { newModel } from '../support/models.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let admin: TestUser;
let folder: string;
let file: string;
let url: string;

beforeAll(async () => {
  tenant = await newTenant();
  admin = await newUser(['PLATFORM_ADMIN'], tenant);
  url = process.env.KEELSON_TEST_URL ?? '';
  folder = await mkdtemp(join(tmpdir(), 'keelson-profiles-'));
  file = join(folder, 'keelson', 'profiles.json');
});
afterAll(() => rm(folder, { recursive: true }));

/** Without variables that name a service or a user. */
const alone = (more: Record<string, string> = {}) => ({
  as: null,
  env: { XDG_CONFIG_HOME: folder, KEELSON_URL: '', ...more },
});
const logIn = (name: string) =>
  ends(0, ['login', '--profile', name, '--url', url], {
    ...alone({ KEELSON_EMAIL: admin.email, KEELSON_PASSWORD: PASSWORD }),
    out: `Logged in at ${url} as ${admin.email}, in the profile ${name}\n`,
  });
const profiles = async () => JSON.parse(await readFile(file, 'utf8'));

describe('profiles', () => {
  it('keelson login --profile keeps a log-in that only its owner can read', async () => {
    await logIn('work');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'keelson'))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).not.toContain(PASSWORD);
  });

  it('--profile and KEELSON_PROFILE use it, for its own service', async () => {
    await ends(0, ['environments', '--profile', 'work'], { ...alone(), out: /^CODE/ });
    await ends(0, ['environments'], { ...alone({ KEELSON_PROFILE: 'work' }), out: /^CODE/ });
    await ends(2, ['environments', '--profile', 'home'], { ...alone(), err: 'keelson login --profile home' });
    // Its token goes nowhere else.
    await ends(2, ['environments', '--profile', 'work', '--url', 'http://127.0.0.1:9'], {
      ...alone(),
      err: 'Set KEELSON_TOKEN',
    });
  });

  it('the profile default is used unless something else is said', async () => {
    await ends(2, ['environments', '--url', url], { ...alone(), err: 'Set KEELSON_TOKEN' });
    await logIn('default');
    await ends(0, ['environments'], { ...alone(), out: /^CODE/ });
    await ends(1, ['environments', '--token', 'x.y.z'], { ...alone(), err: 'UNAUTHORIZED' });
  });

  it('a token that ends is exchanged for a new one', async () => {
    const { work, ...others } = await profiles();
    await writeFile(file, JSON.stringify({ ...others, work: { ...work, expiresAt: new Date().toISOString() } }));
    await ends(0, ['environments', '--profile', 'work'], { ...alone(), out: /^CODE/ });
    const { work: after } = await profiles();
    expect(after.token).not.toBe(work.token);
    expect(Date.parse(after.expiresAt)).toBeGreaterThan(Date.now());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('keelson logout ends the session and forgets the profile', async () => {
    const { work } = await profiles();
    await ends(0, ['logout', '--profile', 'work'], { ...alone(), out: `Logged out ${admin.email} at ${url}` });
    expect(Object.keys(await profiles())).toEqual(['default']);
    expect((await call('/api/auth/me', { token: work.token })).status).toBe(401);
    await ends(1, ['logout', '--profile', 'work'], { ...alone(), err: 'There is no profile work' });
  });
});

describe('keelson logs', () => {
  it('lists executed commands, those that failed with their error, and one in full', async () => {
    person.present = admin;
    const { command } = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string', unique: true }] });
    const create = () => execute(admin.token, command, { operationType: 'CREATE', payload: { name: 'a' } });
    const pid = (await create()).headers.get('x-execution-pid') ?? '';
    await create();

    const all = (await keelson(['logs', '--command', command, '--since', '1h'])).out;
    expect(all).toMatch(
      new RegExp(`^AT +STATUS [^]*SUCCEEDED +${command} .*${pid}[^]*FAILED +${command} .*CONFLICT: `),
    );
    const { out } = await keelson(['logs', '--command', command, '--status', 'FAILED', '--json']);
    expect(JSON.parse(out)).toMatchObject([{ commandCode: command, status: 'FAILED' }]);
    await ends(0, ['logs', pid], { out: `"pid": "${pid}"` });
    await ends(2, ['logs', '--since', 'yesterday'], { err: '--since is a time, or 90s' });
  });
});

describe('keelson open', () => {
  it('prints the address where no terminal shows it', async () => {
    await ends(0, ['open'], { out: `${url}/api/docs\n` });
    await ends(2, ['open', 'moon'], { err: 'There is no page moon' });
  });
});

describe('keelson completion', () => {
  const node = `${JSON.stringify(process.execPath)} ${JSON.stringify(ENTRY)}`;
  const run = async (shell: string, script: string) => (await promisify(execFile)(shell, ['-c', script])).stdout.trim();

  it.each([
    [['keelson', 'prom'], 'promotion'],
    [['keelson', 'promotion', 'cr'], 'create'],
    [['keelson', 'promotion', 'create', '--auto'], '--auto-include'],
    [['keelson', 'apply', '--pru'], '--prune'],
    [['keelson', 'diff', 'dev', '--a'], '--app'],
  ])('bash completes %j', async (words, expected) => {
    const script = `source <(${node} completion bash)
      COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _keelson; echo "\${COMPREPLY[*]}"`;
    expect(await run('bash', script)).toBe(expected);
  });

  const withZsh = existsSync('/usr/bin/zsh') ? it : it.skip;
  withZsh('zsh takes the script', async () => {
    const script = `autoload -U compinit; compinit -D; source <(${node} completion zsh); _keelson_words promotion`;
    expect(await run('zsh', script)).toContain('create');
  });

  const withFish = existsSync('/usr/bin/fish') ? it : it.skip;
  withFish('fish completes a command', async () => {
    expect(await run('fish', `${node} completion fish | source; complete -C 'keelson prom'`)).toContain('promotion');
    const second = await run('fish', `${node} completion fish | source; complete -C 'keelson promotion a'`);
    expect(second.split('\n')).toEqual(['apply', 'approve']);
  });

  it('refuses other shells', () => ends(2, ['completion', 'tcsh'], { err: 'tcsh is not one of bash, zsh, fish' }));
});
