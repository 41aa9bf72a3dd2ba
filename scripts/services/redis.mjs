import { dirname } from 'node:path';

import { stateFile } from '../setup/folders.mjs';
import { findProgram } from '../setup/find-program.mjs';
import { startGuarded } from '../setup/guarded-process.mjs';
import { freePort } from '../setup/ports.mjs';
import { withProgress } from '../setup/progress.mjs';
import { runCommand } from '../setup/run-command.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';
import { likelyPorts, rememberPort } from './remembered-port.mjs';
import { waitUntilReady } from './wait-until-ready.mjs';
import { withoutPassword } from './without-password.mjs';

const defaultPort = 6379;
const urlOf = (/** @type {number} */ port) => `redis://127.0.0.1:${port}`;

/**
 * Provides Redis from the first of: REDIS_URL, a running server, a program of this machine, the system's
 * package.
 * @param {{notice: (line: string) => void}} options
 * @returns {Promise<{url: string, started?: import('../setup/guarded-process.mjs').GuardedProcess}>}
 * @throws {SetupProblem}
 */
export async function ensureRedis({ notice }) {
  const given = process.env.REDIS_URL;
  if (given) {
    const trouble = await redisTrouble(given);
    if (!trouble) return { url: given };
    throw new SetupProblem(`REDIS_URL is set, but ${withoutPassword(given)} cannot be used: ${trouble}`);
  }
  const running = await findRunning(notice);
  if (running) return { url: running };
  const program = findRedis() ?? (await installRedis());
  // The system's package may have started its server.
  const installed = await findRunning(() => {});
  return installed ? { url: installed } : startRedis(program);
}

async function findRunning(/** @type {(line: string) => void} */ notice) {
  for (const port of likelyPorts('redis', defaultPort)) {
    const trouble = await redisTrouble(urlOf(port));
    if (!trouble) return urlOf(port);
    if (!trouble.includes('ECONNREFUSED')) {
      notice(`Port ${port} has no Redis for us (${trouble}), so another one is used. REDIS_URL would name yours.`);
    }
  }
  return undefined;
}

/** @returns {Promise<string | undefined>} why a URL cannot be used; undefined if it can */
async function redisTrouble(/** @type {string} */ url) {
  if (!/^rediss?:\/\/./.test(url)) return 'it is not of the form redis://host:6379';
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3_000,
    commandTimeout: 3_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let cause;
  client.on('error', (error) => (cause = error.message));
  try {
    await client.connect();
    return (await client.ping()) === 'PONG' ? undefined : 'it does not answer PING';
  } catch (error) {
    return cause ?? (error instanceof Error ? error.message : String(error));
  } finally {
    client.disconnect();
  }
}

const findRedis = () => findProgram(['redis-server', 'valkey-server'], ['/opt/homebrew/bin', '/usr/local/bin']);

/**
 * @returns {Promise<string>} the program
 * @throws {SetupProblem} if this user may not install system packages, or the package is not available
 */
async function installRedis() {
  const advice =
    'Redis is missing. Install it (Debian, Ubuntu: `sudo apt-get install redis-server`; macOS: `brew install redis`), ' +
    'or name a server by REDIS_URL, then start again.';
  const aptGet = findProgram(['apt-get']);
  if (!aptGet || process.getuid?.() !== 0) throw new SetupProblem(advice);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () => runCommand(aptGet, ['install', '--yes', '--no-install-recommends', 'redis-server'], { env });
  await withProgress('Installing the system package redis-server', async () => {
    if ((await install()).code === 0) return;
    await runCommand(aptGet, ['update'], { env }); // a fresh image has no package lists
    await install();
  });
  const program = findRedis();
  if (!program) throw new SetupProblem(advice);
  return program;
}

async function startRedis(/** @type {string} */ program) {
  const logFile = stateFile('logs', 'redis.log');
  const port = await freePort(defaultPort);
  const folder = dirname(stateFile('redis', 'dump.rdb'));
  const started = startGuarded({
    name: 'Redis',
    command: program,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
    logFile,
  });
  rememberPort('redis', port, started);
  await withProgress('Starting Redis', () => waitUntilReady(started, async () => !(await redisTrouble(urlOf(port)))));
  return { url: urlOf(port), started };
}
