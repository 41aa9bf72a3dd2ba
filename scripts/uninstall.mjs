// keelson uninstall: removes an installation, where its configuration is. Plain JavaScript for Node 20, as
// scripts/start.mjs: Postgres, Redis and Temporal are found, and started, as by npm start.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ensureServices } from './services.mjs';
import { projectFolder } from './setup/folders.mjs';
import { installPackages, projectNode } from './setup/install-packages.mjs';
import { projectEnvironment } from './setup/run-command.mjs';
import { explain } from './setup/setup-problem.mjs';
import { stopAllGuarded } from './setup/guarded-process.mjs';

try {
  const envFile = join(projectFolder, '.env');
  if (existsSync(envFile)) process.loadEnvFile(envFile); // does not override the environment
  await installPackages();
  const { env } = await ensureServices({ createsDatabase: false });
  const script = join(projectFolder, 'scripts', 'uninstall-installation.ts');
  const child = spawn(projectNode, [script, ...process.argv.slice(2)], {
    env: projectEnvironment(env),
    stdio: 'inherit',
  });
  process.exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
} catch (error) {
  console.error(`\n${explain(error)}`);
  process.exitCode = 1;
}
await stopAllGuarded();
