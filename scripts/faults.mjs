// npm run faults -- promotions 50: kills worker and API at 50 random moments of applies. npm run faults --
// webhooks 500: executes 500 commands while worker, Temporal, API and Redis are killed in turn, and counts
// the deliveries at a receiver; a restart falls into a wait of 20 s. npm test runs both with 5 kills and 60
// commands, and the same set-up.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** @type {Record<string, { test: string, variable: string, usual: string }>} */
const RUNS = {
  promotions: { test: 'test/integration/promotion-faults', variable: 'PROMOTION_FAULTS', usual: '50' },
  webhooks: { test: 'test/e2e/webhook-faults', variable: 'WEBHOOK_FAULTS', usual: '500' },
};

const [name = '', number] = process.argv.slice(2);
const run = RUNS[name];
const count = number ?? run?.usual ?? '';
if (!run || !/^[1-9]\d{0,3}$/.test(count)) {
  console.error(`usage: npm run faults -- ${Object.keys(RUNS).join('|')} [1 to 9999]`);
  process.exit(2);
}
const test = spawn(process.execPath, ['scripts/test.mjs', run.test], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, [run.variable]: count },
  stdio: 'inherit',
});
test.once('exit', (code) => process.exit(code ?? 1));
