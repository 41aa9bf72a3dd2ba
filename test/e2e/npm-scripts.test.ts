import { spawn } from 'node:child_process';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { until } from '../support/faults.ts';
import { freePort } from '../support/program.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Each command has a process group of its own, so that nothing outlives this file. */
const groups: number[] = [];
afterAll(() => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  }
});

function start(command: string, args: string[], env: Record<string, string | undefined> = {}) {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, detached: true } as const;
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  groups.push(Number(child.pid));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const ended = new Promise<Ended>((resolve) => child.once('exit', (code) => resolve({ code, output })));
  return { child, ended, said: () => output };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

describe('npm start', () => {
  const run = (...args: string[]) => start(process.execPath, ['scripts/start.mjs', ...args]).ended;

  it('explains itself with --help, and starts nothing', async () => {
    expect(await run('--help')).toEqual({ code: 0, output: expect.stringContaining('DATABASE_URL') });
  });

  it.each([['--prot=1'], ['--demo'], ['production']])('refuses %s, which it does not know', async (arg) => {
    const { code, output } = await run(arg);

    expect(code).toBe(2);
    expect(output).toContain(arg.split('=')[0]);
    expect(output).toContain('Usage: npm start');
  });
});

describe('npm run dev', () => {
  it('starts the program again when its source changes, lets it be inspected, and stops all that it started', async () => {
    const port = await freePort();
    const { child, ended, said } = start('npm', ['run', 'dev', '--', '--no-demo'], {
      PORT: String(port),
      TEMPORAL_TASK_QUEUE: `npm-${ulid()}`,
    });
    await until('the program is up', async () => said().includes('Keelson is ready'));
    const [, inspector = ''] = /Inspector +(\S+)/.exec(said()) ?? [];
    expect(await (await fetch(`http://${inspector}/json/list`)).json()).toEqual([
      expect.objectContaining({ title: 'src/main.ts' }),
    ]);

    await utimes(join(ROOT, 'src/main.ts'), new Date(), new Date());

    await until('the program is up again', async () => said().includes('Keelson is ready again'));
    expect(said()).toContain('src/main.ts changed');

    child.kill('SIGINT');

    await ended;
    for (const url of [`http://127.0.0.1:${port}/api/health`, `http://${inspector}/json/list`]) {
      await until('the program is gone', async () => !(await answers(url)));
    }
  });
});

describe('npm run migrate', () => {
  it('says in production which secrets it wants, all at once', async () => {
    const secrets = { JWT_SECRET: '', SECRETS_KEY: '' };
    const { code, output } = await start('npm', ['run', '-s', 'migrate'], { NODE_ENV: 'production', ...secrets }).ended;

    expect(code).toBe(1);
    expect(output).toContain('JWT_SECRET is required in production');
    expect(output).toContain('SECRETS_KEY is required in production');
    expect(output).not.toContain('    at ');
  });

  it('refuses an option that it does not know', async () => {
    const { code, output } = await start('npm', ['run', '-s', 'migrate', '--', '--dmo']).ended;

    expect(code).toBe(1);
    expect(output).toContain("Unknown option '--dmo'");
  });
});

describe('npm run start:prod', () => {
  it('stops with npm: a SIGTERM to npm leaves nothing on the port', async () => {
    const port = await freePort();
    const alive = () => answers(`http://127.0.0.1:${port}/api/health`);
    const { child, ended } = start('npm', ['run', 'start:prod'], {
      PORT: String(port),
      TEMPORAL_TASK_QUEUE: `npm-${ulid()}`,
      JWT_SECRET: 'a secret for this test alone and long enough',
      SECRETS_KEY: 'a key for this test alone and long enough',
    });
    await until('the program is up', alive);

    child.kill('SIGTERM');

    await ended;
    await until('the program is gone', async () => !(await alive()));
  });
});
