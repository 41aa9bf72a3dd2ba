// Runs one long-lived process for guarded-process.mjs. Its own session keeps it from the terminal's Ctrl-C,
// so that the start script decides the order in which processes stop. The start script holds the other end of
// stdin; when that closes, even because the start script was killed with -9, the process is stopped.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const { command, args, cwd, uid, gid, stopSignal, graceMs } = JSON.parse(process.argv[2] ?? '{}');

const child = spawn(command, args, { cwd, uid, gid, stdio: ['ignore', 'inherit', 'inherit'] });
child.on('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));

let stopping = false;
function stop() {
  if (stopping) return;
  stopping = true;
  child.kill(stopSignal);
  setTimeout(() => child.kill('SIGKILL'), graceMs);
}

process.stdin.on('data', (word) => (String(word).includes('kill') ? child.kill('SIGKILL') : stop()));
process.stdin.on('end', stop);
process.stdin.on('error', stop);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
