import { SetupProblem } from './setup-problem.mjs';

/** @throws {SetupProblem} on a machine where these scripts cannot work */
export function checkMachine() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) throw new SetupProblem(`Node 20 or newer is needed to start; this is ${process.version}.`);
  if (process.platform === 'win32') {
    throw new SetupProblem('On Windows, run this inside WSL 2, or use `docker compose up` (see docker-compose.yml).');
  }
}
