// node scripts/promotion-faults.ts [N]: kills worker and API at N (default 50) random moments of applies, with everything
// set up as npm test does. npm test itself does it 5 times.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const moments = process.argv[2] ?? '50';
if (!/^[1-9]\d{0,3}$/.test(moments)) {
  console.error('usage: node scripts/promotion-faults.ts [how many moments, 1 to 9999]');
  process.exit(2);
}
const test = spawn(process.execPath, ['scripts/test.mjs', 'test/integration/promotion-faults'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, PROMOTION_FAULTS: moments },
  stdio: 'inherit',
});
test.once('exit', (code) => process.exit(code ?? 1));
