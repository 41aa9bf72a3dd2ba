import { createServer } from 'node:net';

import { SetupProblem } from './setup-problem.mjs';

/**
 * Tries the wildcard and the loopback address, because on some systems one is free while the other is taken.
 * @param {number} port
 * @returns {Promise<string | undefined>} the error code; undefined if the port is free
 */
async function obstacle(port) {
  for (const host of [undefined, '127.0.0.1']) {
    const code = await new Promise((resolve) => {
      const server = createServer();
      server.on('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code));
      server.listen({ port, host }, () => server.close(() => resolve(undefined)));
    });
    if (code) return code;
  }
  return undefined;
}

/** Returns the preferred port if it is free, or one that the system picks. */
export async function freePort(/** @type {number} */ preferred = 0) {
  if (preferred > 0 && preferred <= 65_535 && !(await obstacle(preferred))) return preferred;
  /** @type {Promise<number>} */
  const picked = new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
  return picked;
}

/**
 * Parses a port and checks that it can be used.
 * @param {string} name of the environment variable
 * @param {string} [value]
 * @returns {Promise<number>}
 * @throws {SetupProblem} if it is not a port number, taken or not permitted
 */
export async function usablePort(name, value = '') {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65_535) throw new SetupProblem(`${name}=${value} is not a port number (1 to 65535).`);
  const reason = await obstacle(port);
  if (!reason) return port;
  if (reason === 'EACCES') throw new SetupProblem(`Port ${port} needs more rights. Choose one above 1023 by ${name}.`);
  throw new SetupProblem(
    `Port ${port} is taken, perhaps by another Keelson. Stop what listens there, or choose another port: ` +
      `${name}=${port + 1} npm start`,
  );
}
