import { readFileSync, rmSync, writeFileSync } from 'node:fs';

import { stateFile } from '../setup/folders.mjs';

const file = (/** @type {string} */ service) => stateFile(`${service}.port`);

/**
 * Ports where a service may be running: the default one, and the one of a run that found the default taken.
 * So a concurrent run shares the server instead of opening its data twice.
 * @returns {number[]}
 */
export function likelyPorts(/** @type {string} */ service, /** @type {number} */ defaultPort) {
  try {
    const port = Number(readFileSync(file(service), 'utf8'));
    return port > 0 && port !== defaultPort ? [defaultPort, port] : [defaultPort];
  } catch {
    return [defaultPort];
  }
}

/** Stores the port of a service that this run has started, until it stops. */
export function rememberPort(
  /** @type {string} */ service,
  /** @type {number} */ port,
  /** @type {import('../setup/guarded-process.mjs').GuardedProcess} */ guarded,
) {
  writeFileSync(file(service), String(port));
  void guarded.exited.then(() => rmSync(file(service), { force: true }));
}
