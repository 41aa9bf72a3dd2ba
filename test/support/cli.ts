import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { call } from './api.ts';
import { changeModel, newCode, newModel, pageDraft, save } from './models.ts';
import { freePort } from './program.ts';
import type { TestUser } from './world.ts';

export const ENTRY = fileURLToPath(new URL('../../cli/keelson.mjs', import.meta.url));

const NO_PROFILES = fileURLToPath(new URL('no-profiles', import.meta.url));

const NAME = { code: 'name', name: 'Name', type: 'string' } as const;
const EXTRA = { code: 'extra', name: 'Extra', type: 'string' } as const;
export const APPLY = ['--apply', '--reason', 'a test'];

/** Who uses the command line unless a test says otherwise. */
export const person: { present: TestUser | null } = { present: null };

export type RunOptions = { as?: TestUser | null; env?: Record<string, string>; input?: string };
type Ended = { code: number | null; out: string; err: string };

/**
 * Runs the command line in a process of its own, as `person.present` unless another person or none is
 * named.
 */
export function keelson(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startKeelson(args, options).ended;
}

/** As `keelson`, while it runs: what it has printed so far, and the process. */
export function startKeelson(args: readonly string[], { as = person.present, env = {}, input = '' }: RunOptions = {}) {
  const token: Record<string, string> = as ? { KEELSON_TOKEN: as.token } : {};
  const child = spawn(process.execPath, [ENTRY, ...args], {
    // Profiles of the person who runs the tests must not count.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      XDG_CONFIG_HOME: NO_PROFILES,
      KEELSON_URL: process.env.KEELSON_TEST_URL,
      ...token,
      ...env,
    },
  });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()));
  child.stdin.end(input);
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...printed })));
  return { child, printed, ended };
}

type Said = RunOptions & { out?: string | RegExp; err?: string | RegExp };

/** Expects an exit code, and of standard output and standard error that they match or hold something. */
export async function ends(expected: number, args: readonly string[], { out = '', err = '', ...options }: Said = {}) {
  const said = (text: string | RegExp): unknown =>
    typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
  expect(await keelson(args, options)).toEqual({ code: expected, out: said(out), err: said(err) });
}

/**
 * Runs it with --json and expects success, or the exit code that is named. Gives the data, to be looked into.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export async function dataOf(args: readonly string[], expected = 0, options: RunOptions = {}): Promise<any> {
  const { code, out, err } = await keelson([...args, '--json'], options);
  expect({ code, err }).toEqual({ code: expected, err: '' });
  return JSON.parse(out);
}

/** A page of the test's own in dev. */
export async function newPage() {
  const code = newCode();
  const change = (...columns: string[]): Promise<number> =>
    save(
      'dev',
      pageDraft(
        code,
        'lead',
        columns.map((column) => ({ code: column })),
      ),
    );
  await change('name');
  const versionIn = async (environment: string): Promise<number | null> => {
    const headers = { 'x-environment': environment };
    const path = `/api/meta/resources?resourceType=PAGE_SCHEMA&code=${code}`;
    return (await call(path, { token: person.present?.token, headers })).body.data.records[0]?.version ?? null;
  };
  return { name: `PAGE_SCHEMA/${code}`, change, versionIn };
}

/** Promotes from dev, with what is needed; gives the promotion's pid. */
export async function promote(target: string, name: string, ...more: string[]): Promise<string> {
  return (await dataOf(['promotion', 'create', 'dev', target, '--units', name, '--auto-include', ...more])).pid;
}

/** A model of the test's own, in staging with its name alone and in dev with a field more. */
export async function newChangedModel() {
  const model = await newModel({ fields: [NAME] });
  const name = `MODEL/${model.code}`;
  await promote('staging', name, ...APPLY);
  await changeModel(model, { fields: [NAME, EXTRA] });
  return { name, code: model.code };
}

const servers: Server[] = [];

/**
 * Something that answers every request with one envelope: what the shared program cannot be asked to say.
 * @param heard gets the path of each request
 */
export async function answering(status: number, envelope: unknown, heard: unknown[] = []): Promise<string> {
  const port = await freePort();
  const server = createServer((request, response) => {
    heard.push(request.url);
    request.resume().once('end', () => response.writeHead(status).end(JSON.stringify(envelope)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${port}`;
}

export function closeServers(): void {
  for (const server of servers) server.close();
}
