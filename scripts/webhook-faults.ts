// node scripts/webhook-faults.ts [N]: executes N (default 500) commands while worker, Temporal, API and Redis are killed in
// turn, and counts what arrives at a receiver; a restart falls into a wait of 20 s. Everything is set up as npm test does,
// which itself does it with 60 commands and 6 s.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const commands = process.argv[2] ?? '500';
if (!/^[1-9]\d{1,3}$/.test(commands)) {
  console.error('usage: node scripts/webhook-faults.ts [how many commands, 10 to 9999]');
  process.exit(2);
}
const test = spawn(process.execPath, ['scripts/test.mjs', 'test/e2e/webhook-faults'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, WEBHOOK_FAULTS: commands },
  stdio: 'inherit',
});
test.once('exit', (code) => process.exit(code ?? 1));
