import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import type { CommandContent } from '../../src/features/commands/definition/command-content.ts';
import type { ResourceDraft } from '../../src/platform/metadata/changes/resources.service.ts';
import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import type { SqlRunner } from '../../src/foundation/database/pool.ts';
import { setTenant } from '../../src/foundation/database/tenant.ts';
import { freePort } from './program.ts';
import { container } from './world.ts';

/** The longer something takes, the less often it is looked at: looking costs what is looked at its time. */
const LOOK_EVERY_MS = { least: 25, most: 200, ofElapsed: 1 / 10 };

/** For what must happen, on however slow a machine. Less than a test may take: what was awaited is told. */
const PATIENCE_MS = 150_000;

/** Waits until `check` gives something true, and gives that. What it throws counts as "not yet". */
export async function until<T>(
  what: string,
  check: () => Promise<T> | T,
  timeoutMs = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const startedAt = Date.now();
  let last: unknown;
  for (;;) {
    try {
      const found = await check();
      if (found) return found;
      last = found;
    } catch (error) {
      last = error;
    }
    const elapsed = Date.now() - startedAt;
    if (elapsed > timeoutMs) throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: last });
    await sleep(Math.min(LOOK_EVERY_MS.most, Math.max(LOOK_EVERY_MS.least, elapsed * LOOK_EVERY_MS.ofElapsed)));
  }
}

type Connected = { readonly client: Socket; readonly server: Socket };

/** A TCP proxy on loopback before something the program depends on: takes it away, and brings it back. */
export class Proxy {
  readonly port: number;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #connected = new Set<Connected>();
  #listener: Server | null = null;
  #stalled: 'none' | 'requests' | 'answers' | 'all' = 'none';

  private constructor(port: number, target: { host: string; port: number }) {
    this.port = port;
    this.#target = target;
  }

  /** @param address `host:port` */
  static async before(address: string): Promise<Proxy> {
    const [host = '', port = ''] = address.split(':');
    const proxy = new Proxy(await freePort(), { host, port: Number(port) });
    await proxy.restore();
    proxies.add(proxy);
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The server has crashed: open connections break, new ones are refused. */
  cut(): void {
    this.#listener?.close();
    this.#listener = null;
    for (const { client, server } of this.#connected) {
      client.resetAndDestroy();
      server.destroy();
    }
    this.#connected.clear();
  }

  /** The network swallows everything (or only one direction), and no connection ends. */
  stall(what: 'requests' | 'answers' | 'all' = 'all'): void {
    this.#stalled = what;
    for (const connected of this.#connected) this.#regulate(connected);
  }

  /** Everything goes through again, what was swallowed first. */
  async restore(): Promise<void> {
    this.#stalled = 'none';
    for (const connected of this.#connected) this.#regulate(connected);
    if (this.#listener) return;
    const listener = createServer((client) => this.#accept(client));
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
  }

  #accept(client: Socket): void {
    const server = connect(this.#target);
    const connected = { client, server };
    this.#connected.add(connected);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => {
        // A paused one would never hear of the end, and keeps a process from ending.
        to.resume().end();
        if (client.destroyed && server.destroyed) this.#connected.delete(connected);
      });
    }
    this.#regulate(connected);
  }

  #regulate({ client, server }: Connected): void {
    const stalls = (direction: string): boolean => [direction, 'all'].includes(this.#stalled);
    if (stalls('requests')) client.pause();
    else client.resume();
    if (stalls('answers')) server.pause();
    else server.resume();
  }
}

const proxies = new Set<Proxy>();

/** A proxy before the server of a URL, and the URL that leads through it. */
export async function proxied(url: string): Promise<{ proxy: Proxy; url: string }> {
  const target = new URL(url);
  const proxy = await Proxy.before(target.host);
  target.host = proxy.address;
  return { proxy, url: target.href };
}

interface Guarded {
  readonly exited: Promise<number>;
  stop(): Promise<number>;
  kill(): void;
}
type EnsureTemporal = (options: {
  dedicated: true;
  port: number;
  dbFile: string;
  notice: (line: string) => void;
}) => Promise<{ address: string; started: Guarded }>;

/** A Temporal server of the test's own, which keeps its state in a file: it can crash and come back. */
export class OwnTemporal {
  readonly address: string;
  readonly #port: number;
  readonly #dbFile: string;
  #process: Guarded | null = null;

  private constructor(port: number, dbFile: string) {
    this.address = `127.0.0.1:${port}`;
    this.#port = port;
    this.#dbFile = dbFile;
  }

  static async start(): Promise<OwnTemporal> {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-temporal-'));
    const server = new OwnTemporal(await freePort(), join(folder, 'temporal.db'));
    servers.add(server);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const script = new URL('../../scripts/services/temporal.mjs', import.meta.url).href;
    const { ensureTemporal } = (await import(script)) as { ensureTemporal: EnsureTemporal };
    const options = { port: this.#port, dbFile: this.#dbFile, notice: () => undefined };
    this.#process = (await ensureTemporal({ dedicated: true, ...options })).started;
  }

  /** kill -9 */
  async kill(): Promise<void> {
    this.#process?.kill();
    await this.#process?.exited;
    this.#process = null;
  }

  /** It comes back without its data, as after a lost disk. */
  async empty(): Promise<void> {
    await this.kill();
    for (const suffix of ['', '-wal', '-shm']) await rm(`${this.#dbFile}${suffix}`, { force: true });
    await this.start();
  }

  /** Ends it for good, state and all. */
  async dispose(): Promise<void> {
    await this.kill();
    await rm(dirname(this.#dbFile), { recursive: true, force: true });
  }
}

const servers = new Set<OwnTemporal>();
let client: Promise<Client> | null = null;

/** A client of the Temporal server that the tests share. */
export function temporal(): Promise<Client> {
  client ??= Connection.connect({ address: temporalAddress() }).then((connection) => new Client({ connection }));
  return client;
}

export function temporalAddress(): string {
  return process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233';
}

afterEachFile(async () => {
  for (const proxy of proxies) proxy.cut();
  for (const server of servers) await server.dispose();
  await (await client)?.connection.close();
  client = null;
});

/** An execution's row, whoever may see it over the API. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function executionRow(executionPid: string | null): Promise<any> {
  const { database } = await container();
  const [row] = await database.query('select * from platform.command_execution where pid = $1', [executionPid]);
  return row;
}

/** What a tenant's transactions see: past the API, but not past row-level security. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function rowsOf(tenantId: string, text: string, values: unknown[] = []): Promise<any[]> {
  const { database } = await container();
  return database.transaction(async (transaction) => {
    await setTenant(transaction, tenantId);
    return transaction.queryRecords(text, values);
  });
}

/**
 * Keeps a record from being written by others until `release` is called: whoever wants to write it waits.
 * `waiting` resolves when `writers` of them do.
 */
export async function holdRecord(tenantId: string, table: string, pid: string): Promise<HeldRecord> {
  const { database } = await container();
  return hold((holding) =>
    database.transaction(async (transaction) => {
      await setTenant(transaction, tenantId);
      await transaction.query(`select 1 from ${table} where pid = $1 for update`, [pid]);
      await holding(transaction);
    }),
  );
}

/** As `holdRecord`, for a whole table of the platform; `access exclusive` keeps it from being read, too. */
export async function holdTable(
  table: string,
  mode: 'share row exclusive' | 'access exclusive' = 'share row exclusive',
): Promise<HeldRecord> {
  const { orm } = await container();
  return hold((holding) =>
    orm.em.fork().transactional(async (em) => {
      const runner = sqlRunnerOf(em);
      await runner.query(`lock table ${table} in ${mode} mode`);
      await holding(runner);
    }),
  );
}

/** @param lock takes a lock in a transaction, and ends it when `holding` resolves */
async function hold(lock: (holding: (runner: SqlRunner) => Promise<void>) => Promise<void>): Promise<HeldRecord> {
  const { database } = await container();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let held = (_backend: number): void => undefined;
  const holding = new Promise<number>((resolve) => (held = resolve));
  const ended = lock(async (runner) => {
    // Postgres would end one that is idle for 30 s, which a busy machine can take to get where it waits.
    await runner.query('set local idle_in_transaction_session_timeout = 0');
    const [row] = await runner.query<{ backend: number }>('select pg_backend_pid() as backend');
    held(row?.backend ?? 0);
    await released;
  });
  const backend = await Promise.race([holding, ended.then(() => 0)]);
  return {
    waiting: (writers = 1) =>
      until(`${writers} writers wait for the record`, async () => {
        // The first waits for us; the others wait for the first.
        const [row] = await database.query<{ blocked: number }>(
          `with recursive blocked as (
             select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))
             union select a.pid from pg_stat_activity a join blocked b on b.pid = any (pg_blocking_pids(a.pid)))
           select count(*)::int as blocked from blocked`,
          [backend],
        );
        return row && row.blocked >= writers;
      }).then(() => undefined),
    release: async () => {
      release();
      await ended;
    },
  };
}

export interface HeldRecord {
  waiting(writers?: number): Promise<void>;
  release(): Promise<void>;
}

/** A model with a field of every kind, and commands of every kind on it: what the demo has no need of. */
const PROBE: ResourceDraft[] = [
  {
    resourceType: 'MODEL',
    code: 'probe',
    content: {
      name: 'Probe',
      fields: [
        { code: 'name', name: 'Name', type: 'string', required: true, maxLength: 100 },
        { code: 'code', name: 'Code', type: 'string', unique: true },
        { code: 'kind', name: 'Kind', type: 'enum', values: ['a', 'b'], default: 'a' },
        { code: 'count', name: 'Count', type: 'integer', min: 0 },
        { code: 'big', name: 'Big', type: 'bigint' },
        { code: 'price', name: 'Price', type: 'decimal' },
        { code: 'flag', name: 'Flag', type: 'boolean' },
        { code: 'on_day', name: 'On day', type: 'date' },
        { code: 'at_time', name: 'At time', type: 'datetime' },
        { code: 'data', name: 'Data', type: 'json' },
        { code: 'parent', name: 'Parent', type: 'relation', target: 'probe' },
        { code: 'guarded', name: 'Guarded', type: 'string', writePermission: true },
        { code: 'hidden', name: 'Hidden', type: 'string', readPermission: true },
      ],
    },
  },
  { resourceType: 'PAGE_SCHEMA', code: 'probes', content: { name: 'Probes', modelCode: 'probe', columns: ['name'] } },
  probeCommand('write', { operations: ['CREATE', 'UPDATE', 'DELETE'] }),
  probeCommand('alone', { operations: ['CREATE', 'UPDATE'], execution: 'workflow' }),
  probeCommand('inline', { operations: ['CREATE', 'UPDATE'], execution: 'inline' }),
  probeCommand('strict', { operations: ['CREATE'], idempotency: 'strict' }),
  probeCommand('ruled', {
    operations: ['CREATE'],
    rules: [
      { assert: 'payload.name != "state"', message: 'Not in this state' },
      { assert: 'payload.name != "invalid"', message: 'Not this name', code: 'VALIDATION_ERROR', field: 'name' },
    ],
    event: { type: 'probe.ruled' },
  }),
  probeCommand('pair', {
    operations: ['CUSTOM'],
    payload: [
      { code: 'first', name: 'First', type: 'string', required: true },
      { code: 'second', name: 'Second', type: 'string' },
      { code: 'price', name: 'Price', type: 'decimal' },
      { code: 'data', name: 'Data', type: 'json' },
    ],
    steps: [
      {
        id: 'one',
        operation: 'CREATE',
        modelCode: 'probe',
        values: { name: 'payload.first', price: 'payload.price', on_day: 'date(now)', data: 'payload.data' },
      },
      {
        id: 'two',
        operation: 'CREATE',
        modelCode: 'probe',
        values: { name: '"two"', code: 'payload.second', parent: 'steps.one.pid' },
      },
    ],
  }),
  {
    resourceType: 'PERMISSION',
    code: 'PROBE',
    content: { name: 'Probe', codes: ['command:execute:probe:*', 'record:read:probe'] },
  },
];

function probeCommand(action: string, content: Omit<CommandContent, 'name' | 'modelCode'>): ResourceDraft {
  const named = { name: action, modelCode: 'probe', ...content };
  return { resourceType: 'COMMAND', code: `probe:${action}`, content: named };
}

/** Publishes the model `probe` with its commands (`probe:write` and others) and the role PROBE, in `dev`. */
export async function publishProbe(): Promise<void> {
  const { resources } = await container();
  await resources.save('dev', PROBE, null);
}
