import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const END_WITH_PARENT = new URL('end-with-parent.mjs', import.meta.url).href;
const READY_TIMEOUT_MS = 150_000;

/** The real program in a process of its own, as an operator runs it. */
export interface Program {
  readonly url: string;
  readonly pid: number;
  /** Everything it has logged so far, one JSON line per event. */
  readonly logs: () => string;
  /** Ends it as an operator would (SIGTERM), or as a crash does (SIGKILL). Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the program on a free port and waits until it is ready. `settings` are environment variables. */
export async function startProgram(settings: Record<string, string> = {}): Promise<Program> {
  const port = settings.PORT ?? String(await freePort());
  // The test runner's own options (and its loaders) are not the program's.
  const { NODE_OPTIONS: _options, ...environment } = process.env;
  const env = { ...environment, NODE_ENV: 'test', LOG_LEVEL: 'info', ...settings, PORT: port };
  const child = spawn(
    process.execPath,
    ['--import', END_WITH_PARENT, process.env.KEELSON_TEST_PROGRAM ?? 'src/main.ts'],
    {
      cwd: ROOT,
      env,
      stdio: 'pipe',
    },
  );
  // A program that a failed test has left behind must not keep jest's worker.
  child.unref();
  let output = '';
  for (const stream of [child.stdout, child.stderr] as Socket[]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString())).unref();
  }
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));

  const roles = settings.KEELSON_ROLES ?? process.env.KEELSON_ROLES ?? 'api,worker';
  const awaited = [];
  if (roles.includes('worker')) awaited.push('worker polling');
  // Readiness leaves Temporal out; and who names one of its own may want it to be away.
  if (settings.TEMPORAL_ADDRESS === undefined) awaited.push('temporal connected');
  const healthUrl = `http://127.0.0.1:${settings.MANAGEMENT_PORT ?? port}`;
  await waitUntilReady(child, awaited, roles.includes('api') ? healthUrl : null, () => output);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    logs: () => output,
    stop(signal = 'SIGTERM') {
      // Awaited: nothing else may keep the process that long.
      child.ref();
      child.kill(signal);
      return exited;
    },
  };
}

async function waitUntilReady(
  child: ChildProcess,
  awaited: readonly string[],
  healthUrl: string | null,
  logs: () => string,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const said = awaited.every((line) => logs().includes(line));
    if (said && (healthUrl === null || (await isReady(healthUrl)))) return;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the program did not start:\n${logs()}`);
    await sleep(50);
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/actuator/health/readiness`).catch(() => null);
  return response?.ok ?? false;
}

let nextPort = 20_000 + Number(process.env.JEST_WORKER_ID ?? 0) * 1_500 + Math.floor(Math.random() * 1_400);

/**
 * A port that was free a moment ago, and that nobody is given meanwhile: it is below those that systems give
 * out by themselves, and each of jest's workers has its own.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
