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

/** The Web UI's usual distance from the server. A later run finds it by that. */
const uiPortOffset = 1_000;

/**
 * Attributes that workflows are found by. They are registered with a new database only: a server that already runs, and an
 * older database file, get what they lack from the program itself.
 */
const searchAttributes = { tenantId: 'Keyword', commandCode: 'Keyword', environment: 'Keyword' };

/**
 * The dev server polls a shard's queues 20 times a second unless told otherwise, which adds up to 50 ms to every step of a
 * workflow. Measured: a workflow with one local activity takes 16 ms with these values and 50 ms without.
 */
const dynamicConfig = {
  'history.transferProcessorMaxPollRPS': 5000,
  'history.timerProcessorMaxPollRPS': 5000,
  'history.visibilityProcessorMaxPollRPS': 5000,
};

/** A write-ahead log, synced at checkpoints: enough for development data, and much faster. */
const sqlitePragmas = { journal_mode: 'wal', synchronous: 1 };

/**
 * @typedef {object} TemporalOptions
 * @property {boolean} [dedicated] a server for this caller alone, whatever else runs: tests must not meet the task queues
 *   of a running program
 * @property {number} [port] of a dedicated server; without it a free one
 * @property {number} [uiPort] of a dedicated server; without it there is no Web UI
 * @property {string} [dbFile] of a dedicated server; without it nothing is kept
 */

/**
 * Temporal from the first of: TEMPORAL_ADDRESS, a running server, a program of this machine, a download, its source.
 * @param {TemporalOptions & {notice: (line: string) => void}} options
 * @returns {Promise<{address: string, uiUrl?: string, started?: import('../setup/guarded-process.mjs').GuardedProcess}>}
 * @throws {SetupProblem}
 */
export async function ensureTemporal({ notice, dedicated, ...options }) {
  if (dedicated) {
    const port = options.port ?? (await freePort());
    const server = await startTemporal({ ...options, port, logFile: stateFile('logs', `temporal-${port}.log`) });
    // Its port, and so its log, is another one each time: kept only if it tells of a failure.
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
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace],
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

/** The Web UI of a server that was already there, if it is at the usual place. */
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
