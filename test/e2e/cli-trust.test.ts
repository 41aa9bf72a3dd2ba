import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answering, closeServers, ends, keelson } from '../support/cli.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-trust-'));
});
afterAll(async () => {
  closeServers();
  await rm(folder, { recursive: true });
});

/** A checkout that names this service. */
async function checkout(url: string): Promise<string> {
  await writeFile(join(folder, 'keelson.yaml'), `name: theirs\nenvironment: dev\nurl: ${url}\n`);
  return folder;
}

const OK = { code: '0', message: 'ok', data: [] };
const TOKEN = { KEELSON_TOKEN: 'the.secret.token' };
const LOG_IN = { KEELSON_EMAIL: 'a@example.com', KEELSON_PASSWORD: 'a-password' };
const REFUSED = /^keelson\.yaml names http:\/\/127\.0\.0\.1:\d+, and nothing says that KEELSON_TOKEN/;
const without = (env: Record<string, string>) => ({
  as: null,
  env: { XDG_CONFIG_HOME: folder, KEELSON_URL: '', ...env },
});

describe('credentials of variables', () => {
  it.each([
    ['KEELSON_TOKEN', TOKEN, []],
    ['KEELSON_EMAIL and KEELSON_PASSWORD', LOG_IN, []],
    ['--token', {}, ['--token', 'the.secret.token']],
  ])('%s: nothing is sent to a service that only keelson.yaml names', async (_what, env, more) => {
    const heard: unknown[] = [];
    const dir = await checkout(await answering(200, OK, heard));
    for (const command of ['diff', 'apply', 'drift', 'watch']) {
      await ends(2, [command, '--dir', dir, ...more], { ...without(env), err: REFUSED });
    }
    expect(heard).toEqual([]);
  });

  it('go there when --url or KEELSON_URL names the same service', async () => {
    const heard: unknown[] = [];
    const url = await answering(200, OK, heard);
    const dir = await checkout(url);
    await keelson(['drift', '--dir', dir, '--url', url], without(TOKEN));
    await keelson(['drift', '--dir', dir], without({ ...TOKEN, KEELSON_URL: url }));
    expect(heard).toHaveLength(2);
  });
});

describe('what the command line prints', () => {
  // Sets the title, clears the screen, returns to the line's begin, CSI in one character, and reverses the
  // order.
  const HOSTILE = '\u001b]0;pwned\u0007\u001b[2J\rok\u009b31m\u202etxt';
  // oxlint-disable-next-line no-control-regex
  const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

  it('has no control characters of the service, as text and as JSON, in results and refusals', async () => {
    const environment = { id: 1, code: HOSTILE, name: `a\nb${HOSTILE}`, locked: false, writePolicy: 'open' };
    const url = await answering(200, { ...OK, data: [environment] });
    const refusing = await answering(409, {
      code: 'CONFLICT',
      message: `no\nAPPLIED ${HOSTILE}`,
      data: { fieldErrors: { [HOSTILE]: HOSTILE }, reason: HOSTILE },
    });
    for (const base of [url, refusing]) {
      for (const more of [[], ['--json']]) {
        const { out, err } = await keelson(['environments', '--url', base, ...more], without(TOKEN));
        expect(out + err).not.toMatch(OBEYED);
        expect(out + err).toContain(String.raw`\u001b]0;pwned`);
        expect(out + err).not.toMatch(/^(b|APPLIED)/m);
      }
    }
    const { out } = await keelson(['environments', '--url', url, '--json'], without(TOKEN));
    expect(JSON.parse(out)).toEqual([environment]);
  });

  it('has none of files and arguments', async () => {
    const dir = await checkout('http://localhost:6443');
    await writeFile(join(dir, 'keelson.yaml'), String.raw`name: "\e[31mred"` + '\n');
    for (const args of [
      ['lint', '--dir', dir],
      ['open', HOSTILE],
    ]) {
      const { out, err } = await keelson(args, without({}));
      expect(out + err).not.toMatch(OBEYED);
      expect(out + err).not.toBe('');
    }
  });

  it('leaves through one file; two others write bytes for programs, and the progress at a terminal', async () => {
    const writers = [];
    for await (const file of glob('cli/**/*.{ts,mjs}')) {
      if (/\b(stdout|stderr)\.write\(|console\.log/.test(await readFile(file, 'utf8'))) writers.push(file);
    }
    expect(writers.filter((file) => !file.includes('dist')).sort()).toEqual([
      'cli/output.mjs',
      'cli/progress.mjs',
      'cli/terminal.mjs',
    ]);
  });
});
