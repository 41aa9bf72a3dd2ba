import { isMainThread } from 'node:worker_threads';

// Loaded into the programs that tests start: they end when the process that has started them does, however
// that ends.
if (isMainThread) {
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL'));
  process.stdin.resume();
  process.stdin.unref();
}
