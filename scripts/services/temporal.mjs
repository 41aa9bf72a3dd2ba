import { rmSync } from 'node:fs';

import { stateFile } from '../setup/folders.mjs';
import { startGuarded } from '../setup/guarded-process.mjs';
import { freePort } from '../setup/ports.mjs';
import { withProgress } from '../setup/progress.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';
import { likelyPorts, rememberPort } from './remembered-port.mjs';
import { findTemporal, obtainTemporal } from './temporal-binary.mjs';
import { hasNamespace, temporalTrouble } from './temporal-probe.mjs';
import { waitUntilReady } from './wait-until-ready.mjs';

const defaultPort = 7233;

/** Distance of the Web UI's port from the server's, by which a later run finds it. */
const uiPortOffset = 1_000;

/**
 * Search attributes of a new database. The program adds those that an existing server or database file lacks.
 */
const searchAttributes = { tenantId: 'Keyword', commandCode: 'Keyword', environment: 'Keyword' };

/**
 * The dev server polls a shard's queues 20 times a second by default, which adds up to 50 ms to every step of
 * a workflow. Measured: a workflow with one local activity takes 16 ms with these values and 50 ms without.
 */
const dynamicConfig = {
  'history.transferProcessorMaxPollRPS': 5000,
  'history.timerProcessorMaxPollRPS': 5000,
  'history.visibilityProcessorMaxPollRPS': 5000,
};

/** A write-ahead log, synced at checkpoints: safe enough for development data, and much faster. */
const sqlitePragmas = { journal_mode: 'wal', synchronous: 1 };

/**
 * @typedef {object} TemporalOptions
 * @property {boolean} [dedicated] a new server for this caller, because tests must not share the task queues
 * of a running program
 * @property {number} [port] of a dedicated server; default: a free one
 * @property {number} [uiPort] of a dedicated server; default: no Web UI
 * @property {string} [dbFile] of a dedicated server; default: in memory
 */

/**
 * Provides Temporal from the first of: TEMPORAL_ADDRESS, a running server, a program of this machine, a
 * download, its source.
 * @param {TemporalOptions & {notice: (line: string) => void}} options
 * @returns {Promise<{address: string, uiUrl?: string, started?:
 * import('../setup/guarded-process.mjs').GuardedProcess}>}
 * @throws {SetupProblem}
 */
export async function ensureTemporal({ notice, dedicated, ...options }) {
  if (dedicated) {
    const port = options.port ?? (await freePort());
    const server = await startTemporal({ ...options, port, logFile: stateFile('logs', `temporal-${port}.log`) });
    // The log's name contains the port, so only logs of failures are kept.
    void server.started.exited.then((code) => code === 0 && rmSync(server.logFile, { force: true }));
    return server;
  }
  const given = process.env.TEMPORAL_ADDRESS;
  if (given) {
    const trouble = await temporalTrouble(given);
    if (!trouble) return { address: given, uiUrl: await findUi(given) };
    throw new SetupProblem(`TEMPORAL_ADDRESS is set, but ${given} cannot be used: ${trouble}`);
  }
  for (const port of likelyPorts('temporal', defaultPort)) {
    const address = `127.0.0.1:${port}`;
    const trouble = await temporalTrouble(address);
    if (!trouble) return { address, uiUrl: await findUi(address) };
    if (!trouble.includes('ECONNREFUSED')) {
      notice(`Port ${port} has no Temporal for us (${trouble}), so another one is used.`);
    }
  }
  const port = await freePort(defaultPort);
  const uiPort = await freePort(port + uiPortOffset);
  const logFile = stateFile('logs', 'temporal.log');
  const server = await startTemporal({ port, uiPort, dbFile: stateFile('temporal.db'), logFile });
  rememberPort('temporal', port, server.started);
  return server;
}

/** @param {{port: number, uiPort?: number, dbFile?: string, logFile: string}} options */
async function startTemporal({ port, uiPort, dbFile, logFile }) {
  const program = (await findTemporal()) ?? (await obtainTemporal());
  const address = `127.0.0.1:${port}`;
  const namespace = process.env.TEMPORAL_NAMESPACE || 'default';
  const flags = (/** @type {string} */ flag, /** @type {object} */ values) =>
    Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  const started = startGuarded({
    name: 'Temporal',
    command: program,
    args: [
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--namespace',
      namespace,
      ...(uiPort ? ['--ui-port', String(uiPort)] : ['--headless']),
      ...(dbFile ? ['--db-filename', dbFile, ...flags('--sqlite-pragma', sqlitePragmas)] : []),
      ...flags('--search-attribute', searchAttributes),
      ...flags('--dynamic-config-value', dynamicConfig),
    ],
    logFile,
  });
  await withProgress('Starting Temporal', () => waitUntilReady(started, () => hasNamespace(address, namespace)));
  return { address, uiUrl: uiPort ? `http://127.0.0.1:${uiPort}` : undefined, started, logFile };
}

/** Finds the Web UI of an existing server at its usual port. */
async function findUi(/** @type {string} */ address) {
  const separator = address.lastIndexOf(':');
  const url = `http://${address.slice(0, separator)}:${Number(address.slice(separator + 1)) + uiPortOffset}`;
  try {
    const answer = await fetch(`${url}/api/v1/settings`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok ? url : undefined;
  } catch {
    return undefined;
  }
}
