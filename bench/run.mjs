// npm run bench: compares the service's speed with baselines. Starts its own database, Redis database,
// Temporal server, the program in one process, and the baselines; loads the data, measures, and removes
// everything. `npm run bench -- streams` measures live streams, `-- webhooks` webhooks, `-- login` whether
// the time of a log-in reveals an account, `-- overload` what others notice of hostile work, `-- sleepers`
// what slow commands do to the others, `-- bulk` work on many records, `-- records` queries beside others,
// `-- models` what 1,000 models in each environment cost, `-- console` the budgets of the console in a real
// Chromium, `-- hostile` whether a node survives all attacks of bench/hostile at once, `-- peers` other
// products beside ours (they are installed into the cache first, which takes minutes).
// BENCH_TENANTS=10 loads 1,000,000 leads. BENCH_ONLY=list,detail BENCH_SECONDS=3 BENCH_ROUNDS=1 shorten it;
// see settings.ts. `npm run soak` measures memory under a steady load for 30 minutes; see soak.ts.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ensureChromium } from '../scripts/services/chromium.mjs';
import { ensureServices } from '../scripts/services.mjs';
import { waitUntilReady } from '../scripts/services/wait-until-ready.mjs';
import { checkMachine } from '../scripts/setup/check-machine.mjs';
import { startGuarded, stopAllGuarded } from '../scripts/setup/guarded-process.mjs';
import { installPackages, projectNode } from '../scripts/setup/install-packages.mjs';
import { freePort } from '../scripts/setup/ports.mjs';
import { withProgress } from '../scripts/setup/progress.mjs';
import { projectEnvironment } from '../scripts/setup/run-command.mjs';
import { explain, SetupProblem } from '../scripts/setup/setup-problem.mjs';
import { buildConsole } from '../scripts/startup/console.mjs';
import { memorySettings } from '../scripts/startup/memory-settings.mjs';
import { stopOnSignal } from '../scripts/setup/stop-on-signal.mjs';
import { claimOwnDatabases, databaseName, redisDatabase, withOwnDatabase } from './own-databases.mjs';
import { dbos, directus } from './peers/peers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** @type {(() => Promise<void>) | undefined} */
let dropDatabases;
let isStopping = false;
stopOnSignal({
  exitCode: () => 130,
  onStop: () => {
    isStopping = true;
    void dropDatabases?.().catch(() => {});
  },
});

/** Starts a server on a free port, and waits until `readyPath` responds. */
async function startServer(
  /** @type {string} */ name,
  /** @type {string} */ script,
  /** @type {string} */ readyPath,
  /** @type {NodeJS.ProcessEnv} */ env,
  /** @type {{folder?: string, args?: string[], node?: string}} */ options = {},
) {
  const { folder: cwd, args = [], node = projectNode } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startGuarded({
    name,
    command: node,
    args: [script, ...args],
    ...(cwd && { cwd }),
    env: projectEnvironment({ ...memorySettings(process.env), ...env, PORT: String(port) }),
    logFile: join(folder, `${port}.log`),
  });
  const isReady = () =>
    fetch(`${url}${readyPath}`, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.ok,
      () => false,
    );
  await withProgress(`Starting ${name}`, () => waitUntilReady(server, isReady));
  return { url, server };
}

/** Runs a script to its end and shows its output. */
async function run(
  /** @type {string} */ name,
  /** @type {string} */ script,
  /** @type {NodeJS.ProcessEnv} */ env,
  /** @type {string[]} */ args = [],
) {
  const running = startGuarded({ name, command: projectNode, args: [script, ...args], env: projectEnvironment(env) });
  running.stdout?.pipe(process.stdout, { end: false });
  running.stderr?.pipe(process.stderr, { end: false });
  const code = await running.exited;
  if (code !== 0) throw new SetupProblem(`${name} has failed (exit code ${code}).`);
}

try {
  checkMachine();
  await installPackages();
  const services = await ensureServices({
    databaseName,
    redisDatabase,
    temporal: { dedicated: true, dbFile: join(folder, 'temporal.db') },
  });
  dropDatabases = await claimOwnDatabases(services.env);
  // Production settings without rate limits.
  const env = {
    ...services.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    JWT_SECRET: randomBytes(32).toString('hex'),
    SECRETS_KEY: randomBytes(32).toString('hex'),
    KEELSON_ROLES: 'api,worker',
    KEELSON_ENVIRONMENT: 'dev',
    SHUTDOWN_GRACE_MS: '2000',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    RATE_LIMIT_READS: '100000000',
    RATE_LIMIT_WRITES: '100000000',
    RATE_LIMIT_LOGINS: '100000000',
    RATE_LIMIT_ACCOUNT_LOGINS: '100000000',
  };
  if (process.argv[2] === 'streams') await benchStreams({ ...env, MAX_STREAMS_PER_USER: '1000' });
  else if (process.argv[2] === 'webhooks') await benchWebhooks(env);
  else if (process.argv[2] === 'login') await benchWith('bench/measure-login.ts', env);
  else if (process.argv[2] === 'models') await benchWith('bench/measure-models.ts', env);
  else if (process.argv[2] === 'sleepers') await benchWith('bench/measure-sleepers.ts', env);
  else if (process.argv[2] === 'bulk') await benchWith('bench/measure-bulk.ts', env);
  else if (process.argv[2] === 'records') await benchWith('bench/measure-records.ts', env);
  else if (process.argv[2] === 'overload') await benchWith('bench/measure-overload.ts', env);
  else if (process.argv[2] === 'hostile') await benchWith('bench/measure-hostile.ts', env);
  else if (process.argv[2] === 'console') await benchConsole(env);
  else if (process.argv[2] === 'peers') await benchPeers(env);
  else if (process.argv[2] === 'soak')
    await benchWith('bench/soak.ts', { ...env, MAX_STREAMS_PER_USER: '1000' }, process.argv.slice(3));
  else await benchRequests(env);
} catch (error) {
  if (!isStopping) console.error(`\n${explain(error)}`);
  process.exitCode = 1;
}

if (!isStopping) {
  await dropDatabases?.().catch((error) => console.error(explain(error)));
  await stopAllGuarded();
  process.exit();
}

async function benchRequests(/** @type {NodeJS.ProcessEnv} */ env) {
  await run('Loading the data', 'bench/load-data.ts', env);
  const api = await startServer('Keelson', 'src/main.ts', '/actuator/health', env);
  const sql = await startServer('the SQL baseline', 'bench/baseline-sql.ts', '/', env);
  const workflow = await startServer('the workflow baseline', 'bench/baseline-workflow.ts', '/', env);
  await run('The measurement', 'bench/measure.ts', {
    ...env,
    BENCH_API_URL: api.url,
    BENCH_SQL_URL: sql.url,
    BENCH_WORKFLOW_URL: workflow.url,
  });
  await stopServers(workflow, sql, api);
}

async function benchWebhooks(/** @type {NodeJS.ProcessEnv} */ env) {
  await run('Loading the data', 'bench/load-data.ts', env);
  const api = await startServer('Keelson', 'src/main.ts', '/actuator/health', env);
  const workflow = await startServer('the workflow baseline', 'bench/baseline-workflow.ts', '/', env);
  const urls = { BENCH_API_URL: api.url, BENCH_WORKFLOW_URL: workflow.url };
  await run('The measurement', 'bench/measure-webhooks.ts', { ...env, ...urls });
  await stopServers(workflow, api);
}

/** A measurement that needs the program alone. */
async function benchWith(
  /** @type {string} */ script,
  /** @type {NodeJS.ProcessEnv} */ env,
  /** @type {string[]} */ args = [],
) {
  await run('Loading the data', 'bench/load-data.ts', env);
  const api = await startServer('Keelson', 'src/main.ts', '/actuator/health', env);
  await run('The measurement', script, { ...env, BENCH_API_URL: api.url }, args);
  await stopServers(api);
}

async function benchConsole(/** @type {NodeJS.ProcessEnv} */ env) {
  const CHROMIUM_PATH = await ensureChromium();
  await buildConsole();
  await benchWith('bench/measure-console.ts', { ...env, CHROMIUM_PATH });
}

async function benchStreams(/** @type {NodeJS.ProcessEnv} */ env) {
  await run('Loading the data', 'bench/load-streams.ts', env);
  const api = await startServer('Keelson', 'src/main.ts', '/actuator/health', env);
  const stream = await startServer('the stream baseline', 'bench/baseline-stream.ts', '/', env);
  await run('The measurement', 'bench/measure-streams.ts', {
    ...env,
    BENCH_API_URL: api.url,
    BENCH_STREAM_URL: stream.url,
  });
  await stopServers(stream, api);
}

async function benchPeers(/** @type {NodeJS.ProcessEnv} */ env) {
  const peers = [await directus(), await dbos()];
  await run('Loading the data', 'bench/load-data.ts', env);
  const api = await startServer('Keelson', 'src/main.ts', '/actuator/health', env);
  const measurement = (/** @type {string[]} */ urls) =>
    run('The measurement', 'bench/measure-peers.ts', {
      ...env,
      BENCH_API_URL: api.url,
      BENCH_DIRECTUS_URL: urls[0],
      BENCH_DBOS_URL: urls[1],
    });
  await withPeers(peers, env.DATABASE_URL ?? '', measurement);
  await stopServers(api);
}

/** Starts the peers, each with an empty database that is dropped at the end. */
async function withPeers(
  /** @type {import('./peers/peers.mjs').Peer[]} */ peers,
  /** @type {string} */ serverUrl,
  /** @type {(urls: string[]) => Promise<void>} */ action,
  /** @type {string[]} */ urls = [],
) {
  const [peer, ...more] = peers;
  if (!peer) return action(urls);
  await withOwnDatabase(serverUrl, peer.database, async (databaseUrl) => {
    const env = peer.env(databaseUrl);
    await peer.prepare?.(databaseUrl, env);
    const started = await startServer(peer.name, peer.script, peer.readyPath, env, peer);
    await peer.load?.(started.url, databaseUrl);
    await withPeers(more, serverUrl, action, [...urls, started.url]);
    await stopServers(started);
  });
}

async function stopServers(/** @type {Awaited<ReturnType<typeof startServer>>[]} */ ...servers) {
  for (const { server } of servers) {
    await server.stop();
    // Problems that failed no request: the programs log from level warn on.
    if (server.log().trim() !== '') console.log(`\n${server.name} has logged:\n${server.log().slice(0, 4_000)}`);
  }
}
