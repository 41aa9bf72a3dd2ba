import { setTimeout as sleep } from 'node:timers/promises';

import { stateFile } from '../setup/folders.mjs';
import { startGuarded } from '../setup/guarded-process.mjs';
import { projectNode } from '../setup/install-packages.mjs';
import { withProgress } from '../setup/progress.mjs';
import { mustRun, projectEnvironment, runCommand } from '../setup/run-command.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';
import { memorySettings } from './memory-settings.mjs';
import { followLogs } from './program-logs.mjs';

const readyTimeoutMs = 120_000;

/** An attached debugger keeps a program that has ended. */
const debuggedGraceMs = 3_000;

/** Allows webhook receivers on this machine; the program's default allows public addresses only. */
const thisMachine = '127.0.0.0/8,::1/128';

/**
 * Hears of an author's mistakes before any service is started.
 * @param {string} application its directory
 * @throws {SetupProblem} with the file, line and column of each
 */
export async function checkApplication(application) {
  const command = [projectNode, ['scripts/check-application.ts', application], { env: projectEnvironment() }];
  const { code, output } = await withProgress('Checking the application', () =>
    runCommand(.../** @type {Parameters<typeof runCommand>} */ (command)),
  );
  if (code !== 0) throw new SetupProblem(`The application in ${application} has mistakes:\n${output}`);
}

/**
 * Migrates and loads an application. Safe to repeat.
 * @param {NodeJS.ProcessEnv} env
 * @param {string | null} application its directory; null for none
 */
export async function prepareDatabase(env, application) {
  const args = ['scripts/prepare-database.ts', ...(application === null ? [] : ['--app', application])];
  await withProgress('Preparing the database', () =>
    mustRun('The database could not be prepared', projectNode, args, { env: projectEnvironment(env) }),
  );
}

/**
 * Starts the program and waits until it is ready.
 * @param {{port: number, env: NodeJS.ProcessEnv, inspectorPort?: number | undefined}} options
 * @throws {SetupProblem} with the end of its log
 */
export async function startProgram({ port, env, inspectorPort }) {
  const logFile = stateFile('logs', `keelson-${port}.log`);
  const program = startGuarded({
    name: 'Keelson',
    command: projectNode,
    args: [...(inspectorPort ? [`--inspect=127.0.0.1:${inspectorPort}`] : []), 'src/main.ts'],
    ...(inspectorPort ? { graceMs: debuggedGraceMs } : {}),
    env: projectEnvironment({
      WEBHOOK_ALLOW_CIDRS: process.env.WEBHOOK_ALLOW_CIDRS ?? thisMachine,
      ...memorySettings(process.env),
      ...env,
      PORT: String(port),
    }),
  });
  const logs = followLogs(program, logFile);
  await withProgress('Starting Keelson', async () => {
    const deadline = Date.now() + readyTimeoutMs;
    while (!(await isReady(port))) {
      const code = program.exitCode();
      if (code === undefined && Date.now() < deadline) {
        await sleep(100);
        continue;
      }
      program.kill(); // where it hangs
      const what = code === undefined ? `was not ready after ${readyTimeoutMs / 1000} s` : `ended (exit code ${code})`;
      throw new SetupProblem(`Keelson ${what}. The end of its log:\n${logs.recent()}\nThe whole log: ${logFile}`);
    }
  });
  return { program, logs, logFile };
}

async function isReady(/** @type {number} */ port) {
  const managementPort = Number(process.env.MANAGEMENT_PORT) || port;
  try {
    const answer = await fetch(`http://127.0.0.1:${managementPort}/actuator/health/readiness`, {
      signal: AbortSignal.timeout(2_000),
    });
    return answer.status === 200;
  } catch {
    return false;
  }
}
