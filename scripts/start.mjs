// npm start: sets up and runs Keelson on this machine; npm run dev also restarts it on changes. Runs before
// packages are installed, so it is plain JavaScript for Node 20; the program itself runs on the Node that npm
// installs.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { ensureServices } from './services.mjs';
import { checkMachine } from './setup/check-machine.mjs';
import { projectFolder } from './setup/folders.mjs';
import { stopAllGuarded } from './setup/guarded-process.mjs';
import { installPackages } from './setup/install-packages.mjs';
import { freePort, usablePort } from './setup/ports.mjs';
import { explain, SetupProblem } from './setup/setup-problem.mjs';
import { stopOnSignal } from './setup/stop-on-signal.mjs';
import { buildConsole, serveConsole } from './startup/console.mjs';
import { banner } from './startup/banner.mjs';
import { checkApplication, prepareDatabase, startProgram } from './startup/program.mjs';
import { restartOnChange } from './startup/restart-on-change.mjs';
import { readStartOptions, usage } from './startup/start-options.mjs';

const { help, app, isEmpty, isDev, problem } = readStartOptions(process.argv.slice(2));
if (help) {
  console.log(usage);
  process.exit(0);
}
if (problem !== null) {
  console.error(`${problem}\n\n${usage}`);
  process.exit(2);
}

const defaultPort = '6443';
const defaultInspectorPort = 9229;
const startedAt = Date.now();

let isReady = false;
let isStopping = false;
stopOnSignal({
  exitCode: () => (isReady ? 0 : 130), // only an interrupted start is a failure
  onStop: () => {
    isStopping = true;
    console.log('\nStopping ...');
  },
});

try {
  checkMachine();
  const envFile = join(projectFolder, '.env');
  if (existsSync(envFile)) process.loadEnvFile(envFile); // does not override the environment

  const given = app ?? (process.env.KEELSON_APP || undefined);
  const demo = join(projectFolder, 'demo');
  const application = isEmpty ? null : given === undefined ? demo : resolve(given);
  const port = await usablePort('PORT', process.env.PORT || defaultPort);
  await installPackages();
  if (application !== null && application !== demo) await checkApplication(application);
  if (!isDev) await buildConsole();
  const services = await ensureServices();
  const prepare = () => prepareDatabase(services.env, application);
  await prepare();
  const inspectorPort = isDev ? await freePort(defaultInspectorPort) : undefined;
  const start = () => startProgram({ port, env: services.env, inspectorPort });
  const running = await start();
  const consoleUrl = isDev ? await serveConsole(port) : undefined;

  isReady = true;
  const readyAfterMs = Date.now() - startedAt;
  const { program, logs, logFile } = running;
  const { temporalUiUrl, started } = services;
  const loaded = application === demo ? 'demo' : application;
  console.log(
    banner({ port, consoleUrl, inspectorPort, temporalUiUrl, logFile, started, readyAfterMs, application: loaded }),
  );
  logs.show();

  if (isDev) await restartOnChange(running, { start, prepare, isStopping: () => isStopping });
  const code = await program.exited;
  if (!isStopping) throw new SetupProblem(`Keelson ended unexpectedly (exit code ${code}). Its log: ${logFile}`);
} catch (error) {
  // While stopping, running steps fail; stopOnSignal ends the process.
  if (!isStopping) {
    console.error(`\n${explain(error)}`);
    await stopAllGuarded();
    process.exit(1);
  }
}
