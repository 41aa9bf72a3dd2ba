import { stateFile } from '../setup/folders.mjs';
import { startGuarded } from '../setup/guarded-process.mjs';
import { freePort } from '../setup/ports.mjs';
import { projectNode } from '../setup/install-packages.mjs';
import { withProgress } from '../setup/progress.mjs';
import { mustRun, projectEnvironment } from '../setup/run-command.mjs';

const preferredDevPort = 6444;

/** Builds the web console, unless it has been built of what is there. */
export async function buildConsole() {
  await withProgress('Building the console', () =>
    mustRun('The console could not be built', projectNode, ['scripts/build-console.mjs'], {
      env: projectEnvironment(),
    }),
  );
}

/**
 * Serves the console with hot reload, its requests going on to the program. Ends with this process.
 * @param {number} programPort
 * @returns {Promise<string>} its URL
 */
export async function serveConsole(programPort) {
  const port = String(await freePort(preferredDevPort));
  startGuarded({
    name: 'Console',
    command: projectNode,
    args: ['node_modules/vite/bin/vite.js', '--config', 'web/vite.config.ts', '--port', port, '--strictPort'],
    env: projectEnvironment({ KEELSON_URL: `http://127.0.0.1:${programPort}` }),
    logFile: stateFile('logs', `console-${port}.log`),
  });
  return `http://localhost:${port}/console/`;
}
