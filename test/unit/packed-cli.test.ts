import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = new URL('../../', import.meta.url).pathname;
const run = promisify(execFile);

let folder: string;

/** npm in a folder of the test: nothing of this project, no network, a cache of its own. */
async function npmIn(cwd: string, ...args: string[]): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { PATH, HOME: folder, npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true' };
  return (await run('npm', args, { cwd, env })).stdout;
}
const npm = (...args: string[]): Promise<string> => npmIn(folder, ...args);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-packed-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Packs a folder of the project. Its `prepack` builds it. */
async function pack(name: string): Promise<{ readonly filename: string; readonly paths: string[] }> {
  const json = await npm('pack', join(ROOT, name), '--json', '--pack-destination', folder, '--loglevel', 'error');
  const [packed] = JSON.parse(json.slice(json.indexOf('[\n'))) as { filename: string; files: { path: string }[] }[];
  return { filename: join(folder, packed?.filename ?? ''), paths: packed?.files.map(({ path }) => path) ?? [] };
}

function manifestOf(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

describe('the packages', () => {
  it('have one version and one license', () => {
    const [service, ...packages] = ['package.json', 'cli/package.json', 'sdk/package.json'].map((path) => {
      const { version, license } = manifestOf(join(ROOT, path));
      return { version, license };
    });

    expect(packages).toEqual([service, service]);
  });
});

/** npm starts several programs in each of these, which a busy machine does one after the other. */
const MINUTES = 600_000;

describe('the packed command line', () => {
  let packed: Awaited<ReturnType<typeof pack>>;
  const keelson = (...args: string[]): Promise<string> =>
    npm('exec', '--yes', `--package=${packed.filename}`, '--', 'keelson', ...args);

  beforeAll(async () => {
    packed = await pack('cli');
  });

  it(
    'makes, checks and types an application outside of the project, without a network',
    async () => {
      expect(await keelson('--help')).toContain('\n  promotion create <');
      expect(await keelson('init', 'my-app')).toContain('my-app/keelson.yaml');
      expect(await keelson('lint', '--dir', 'my-app')).toMatch(/^\d+ resources, 0 errors, 0 warnings\n$/);
      // The SQL of a data source is read by a parser in WebAssembly.
      const source = join(folder, 'my-app/resources/datasource');
      await mkdir(source, { recursive: true });
      const content = '{ name: Wrong, kind: sql, sql: "select 1 from" }';
      await writeFile(join(source, 'wrong.yaml'), `resourceType: DATASOURCE\ncode: wrong\ncontent: ${content}\n`);
      await expect(keelson('lint', '--dir', 'my-app')).rejects.toMatchObject({
        stdout: expect.stringMatching(/wrong\.yaml:\d+:\d+: content\.sql is not valid SQL/),
      });
      await rm(source, { recursive: true });
      await keelson('types', '--dir', 'my-app', '-o', 'app.d.ts');
      expect(await readFile(join(folder, 'app.d.ts'), 'utf8')).toContain('export interface KeelsonApp {');
      expect(packed.paths.filter((path) => !/^(dist|template)\//.test(path))).toEqual(['README.md', 'package.json']);
    },
    MINUTES,
  );

  it(
    'is pinned by the application that it makes, and run by its scripts',
    async () => {
      const { version } = manifestOf(join(ROOT, 'package.json'));
      await keelson('init', 'pinned');
      const application = join(folder, 'pinned');
      expect(manifestOf(join(application, 'package.json')).devDependencies).toEqual({ '@keelson/cli': version });

      await npmIn(application, 'install', '--save-dev', packed.filename);

      expect(await npmIn(application, 'run', 'lint')).toContain('0 errors');
      expect(await npmIn(application, 'exec', '--offline', '--', 'keelson', '--version')).toBe(`${String(version)}\n`);
    },
    MINUTES,
  );

  it('depends on nothing that it does not hold', async () => {
    const bundle = await readFile(join(ROOT, 'cli/dist/keelson.mjs'), 'utf8');
    const imported = bundle.matchAll(/(?:\bfrom|\bimport\(?|\brequire\()\s*"([a-z@][\w@/.:-]*)"/g);

    const others = [...imported].map(([, name = '']) => name).filter((name) => !isBuiltin(name));

    // ajv can write its checks into files, with these names in them; nothing here does.
    expect(others.filter((name) => !name.startsWith('ajv'))).toEqual([]);
    expect(manifestOf(join(ROOT, 'cli/package.json'))).not.toHaveProperty('dependencies');
  });

  it('holds nothing of the server', async () => {
    const bundle = await readFile(join(ROOT, 'cli/dist/keelson.mjs'), 'utf8');

    for (const other of ['express', 'pg', 'ioredis', 'undici', 'kysely', '@mikro-orm', '@temporalio']) {
      expect([other, bundle.includes(`node_modules/${other}/`)]).toEqual([other, false]);
    }
  });
});

describe('the packed @keelson/client', () => {
  it('is JavaScript with types, and nothing else', async () => {
    const { filename, paths } = await pack('sdk');
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await npm('install', filename);
    await writeFile(
      join(folder, 'use.js'),
      "import { createClient } from '@keelson/client';\nconsole.log(typeof createClient);",
    );

    expect(paths.filter((path) => !/^(dist\/[\w-]+\.(d\.ts|js)|README\.md|package\.json)$/.test(path))).toEqual([]);
    expect((await run(process.execPath, ['use.js'], { cwd: folder })).stdout).toBe('function\n');
  });
});
