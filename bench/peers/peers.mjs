// Products that `npm run bench -- peers` measures beside ours. Each is installed from the package registry
// into the cache, once, and has a database of its own.
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { query } from '../../scripts/services/postgres-query.mjs';
import { binFolder } from '../../scripts/setup/folders.mjs';
import { withProgress } from '../../scripts/setup/progress.mjs';
import { projectEnvironment, runCommand } from '../../scripts/setup/run-command.mjs';
import { SetupProblem } from '../../scripts/setup/setup-problem.mjs';

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} folder where its packages are
 * @property {string} database name of its database
 * @property {string} [node] the Node that runs it; by default the project's own
 * @property {string} script what Node runs in the folder
 * @property {string[]} [args]
 * @property {string} readyPath answers 200 when it can be used
 * @property {(url: string) => NodeJS.ProcessEnv} env settings, from the URL of its database
 * @property {(databaseUrl: string, env: NodeJS.ProcessEnv) => Promise<void>} [prepare] before it is started
 * @property {(apiUrl: string, databaseUrl: string) => Promise<void>} [load] after it is started
 */

export const DIRECTUS_TOKEN = 'keelson-bench-directus-token';
const LEADS = 100_000;
/** The Node that npm runs on, which it builds packages for. */
const npmNode = process.env.npm_node_execpath ?? process.execPath;
const folderOf = (/** @type {string} */ name) => join(binFolder, 'peers', name);

/** Installs packages in a folder of the cache, unless they are there. */
async function install(/** @type {string} */ folder, /** @type {Record<string, string>} */ dependencies) {
  const done = join(folder, `installed ${Object.entries(dependencies).flat().join(' ').replaceAll('/', '-')}`);
  if (existsSync(done)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const { code, output } = await withProgress(`Installing ${Object.keys(dependencies)[0]}`, () =>
    runCommand('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env: projectEnvironment() }),
  );
  if (code !== 0) throw new SetupProblem(`npm install has failed in ${folder}:\n${output.slice(-2_000)}`);
  writeFileSync(done, '');
}

/** @returns {Promise<Peer>} */
export async function directus() {
  const folder = folderOf('directus');
  await install(folder, { directus: '12.3.0' });
  const cli = join(folder, 'node_modules', 'directus', 'cli.js');
  return {
    name: 'Directus',
    folder,
    database: 'keelson_bench_directus',
    node: npmNode,
    script: cli,
    args: ['start'],
    readyPath: '/server/ping',
    env: (url) => ({
      HOST: '127.0.0.1',
      DB_CLIENT: 'pg',
      DB_CONNECTION_STRING: url,
      SECRET: 'keelson-bench-secret-of-32-characters',
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: 'keelson-bench-1',
      ADMIN_TOKEN: DIRECTUS_TOKEN,
      TELEMETRY: 'false',
      LOG_LEVEL: 'warn',
      RATE_LIMITER_ENABLED: 'false',
      CACHE_ENABLED: 'false',
    }),
    async prepare(_url, env) {
      const { code, output } = await runCommand(npmNode, [cli, 'bootstrap'], {
        cwd: folder,
        env: projectEnvironment(env),
      });
      if (code !== 0) throw new SetupProblem(`Directus cannot set up its database:\n${output.slice(-2_000)}`);
    },
    load: loadDirectus,
  };
}

/** The collection of leads, with as many rows as the measured tenant has. */
async function loadDirectus(/** @type {string} */ apiUrl, /** @type {string} */ databaseUrl) {
  const field = (/** @type {string} */ name, type = 'string', schema = {}) => ({ field: name, type, schema, meta: {} });
  const fields = [
    field('id', 'bigInteger', { is_primary_key: true, has_auto_increment: true }),
    ...['pid', 'name', 'status', 'email', 'phone', 'source', 'owner'].map((name) => field(name)),
    field('amount', 'decimal'),
    field('score', 'integer'),
    field('notes', 'text'),
    { ...field('created_at', 'timestamp'), meta: { special: ['date-created'] } },
  ];
  const response = await fetch(`${apiUrl}/collections`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${DIRECTUS_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ collection: 'lead', schema: {}, meta: {}, fields }),
  });
  if (!response.ok) throw new SetupProblem(`Directus refuses the collection: ${await response.text()}`);
  await query(
    databaseUrl,
    `insert into lead (pid, name, status, email, phone, source, owner, amount, score, created_at)
     select md5(n::text), 'Lead ' || n, (array['new','open','won','lost'])[1 + n % 4], 'l' || n || '@customer.example',
       '+49 30 ' || n, 'web', 'Ada', (n * 37) % 100000, n % 101, now() - n * interval '1 second'
     from generate_series(1, ${LEADS}) n;
     create index on lead (created_at); create index on lead (status, created_at desc); analyze lead`,
  );
}

/** @returns {Promise<Peer>} */
export async function dbos() {
  const folder = folderOf('dbos');
  await install(folder, { '@dbos-inc/dbos-sdk': '5.3.0', pg: '8.23.1' });
  cpSync(fileURLToPath(new URL('dbos', import.meta.url)), folder, { recursive: true });
  return {
    name: 'DBOS',
    folder,
    database: 'keelson_bench_dbos',
    script: join(folder, 'server.mjs'),
    readyPath: '/',
    env: (url) => ({ DATABASE_URL: url }),
  };
}
