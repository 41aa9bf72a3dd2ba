// npm test: the set-up of npm start, then all tests against their own databases and Temporal server, and
// static checks beside them. `npm test -- <path or jest option>` runs those tests alone. The last line is `N
// passed, M failed`.
import { ensureServices } from './services.mjs';
import { checkMachine } from './setup/check-machine.mjs';
import { stopAllGuarded } from './setup/guarded-process.mjs';
import { installPackages } from './setup/install-packages.mjs';
import { explain } from './setup/setup-problem.mjs';
import { stopOnSignal } from './setup/stop-on-signal.mjs';
import { runJest } from './testing/jest-run.mjs';
import { runStaticChecks } from './testing/static-checks.mjs';
import { claimTestSlot } from './testing/test-slot.mjs';

const jestArgs = process.argv.slice(2);
const needsServices = jestArgs.length === 0 || !jestArgs.every((arg) => /^(\.\/)?test\/(unit|replay)\b/.test(arg));
const total = { passed: 0, failed: 0 };
const add = (/** @type {typeof total} */ counts) => {
  total.passed += counts.passed;
  total.failed += counts.failed;
};

let isStopping = false;
stopOnSignal({
  exitCode: () => 130,
  onStop: () => {
    isStopping = true;
  },
});

try {
  checkMachine();
  await installPackages();
  const staticChecks = jestArgs.length === 0 ? runStaticChecks() : undefined;
  if (needsServices) {
    const services = await ensureServices({
      databaseName: 'keelson_test',
      redisDatabase: 9,
      temporal: { dedicated: true },
    });
    const { DATABASE_URL = '', REDIS_URL = '' } = services.env;
    const slot = await claimTestSlot({ DATABASE_URL, REDIS_URL });
    add(await runJest({ args: jestArgs, env: { ...services.env, ...slot.env } }));
    await slot.release();
  } else {
    add(await runJest({ args: jestArgs, env: { KEELSON_TEST_SERVICES: 'none' } }));
  }
  const checked = await staticChecks;
  if (checked) add(checked);
  checked?.report();
} catch (error) {
  if (!isStopping) console.error(explain(error));
  total.failed++;
}

if (!isStopping) {
  await stopAllGuarded();
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exit(total.failed === 0 ? 0 : 1);
}
