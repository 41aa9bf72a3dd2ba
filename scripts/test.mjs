// npm test: the set-up of npm start, then all tests against their own databases and Temporal server, and
// static checks beside them. `npm test -- <path or jest option>` runs those tests alone, and
// `npm test -- --shard 1/2` half of all. npm run check: static checks and unit tests, without services. The
// last line is `N passed, M failed`.
import { ensureChromium } from './services/chromium.mjs';
import { ensureServices } from './services.mjs';
import { checkMachine } from './setup/check-machine.mjs';
import { stopAllGuarded } from './setup/guarded-process.mjs';
import { installPackages } from './setup/install-packages.mjs';
import { explain } from './setup/setup-problem.mjs';
import { stopOnSignal } from './setup/stop-on-signal.mjs';
import { buildConsole } from './startup/console.mjs';
import { runJest } from './testing/jest-run.mjs';
import { runStaticChecks } from './testing/static-checks.mjs';
import { claimTestSlot } from './testing/test-slot.mjs';

const args = process.argv.slice(2);
const isQuick = args[0] === '--quick';
const jestArgs = isQuick ? ['test/unit', ...args.slice(1)] : args;
/** The first of several shards makes the static checks. */
const hasStaticChecks = isQuick || args.length === 0 || /^--shard[= ]1\/\d+$/.test(args.join(' '));
const needsServices = jestArgs.length === 0 || !jestArgs.every((arg) => /^(\.\/)?test\/(unit|replay)\b/.test(arg));
/** Of paths none, or one that may be among the tests of the console. */
const paths = jestArgs.filter((arg) => arg.includes('test/'));
const needsBrowser = paths.length === 0 || paths.some((path) => /test\/(console|$)/.test(path));
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
  const staticChecks = hasStaticChecks ? runStaticChecks() : undefined;
  if (needsServices) {
    await buildConsole();
    const browser = needsBrowser ? { CHROMIUM_PATH: await ensureChromium() } : {};
    const services = await ensureServices({
      databaseName: 'keelson_test',
      redisDatabase: 9,
      temporal: { dedicated: true },
    });
    const { DATABASE_URL = '', REDIS_URL = '' } = services.env;
    const slot = await claimTestSlot({ DATABASE_URL, REDIS_URL });
    add(await runJest({ args: jestArgs, env: { ...services.env, ...slot.env, ...browser } }));
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
