import { readDrafts } from '../scripts/database/load-application.ts';
import { readConfig } from '../src/foundation/config/config.ts';
import { sqlRunnerOf } from '../src/foundation/database/sql-runner.ts';
import { createApplication } from '../src/application.ts';
import { insertRecords } from '../src/platform/records/seeding/insert-records.ts';
import { account, ACCOUNTS, INLINE_COMMAND, lead, TENANTS, WORKFLOW_COMMAND } from './bench-data.ts';
import { createUser } from './bench-user.ts';

const CHUNK = 5_000;

/** Prepares an empty database for the measurement: migrations, the demo's resources, one user, all leads. */
const application = await createApplication(readConfig());
const { orm, store, resources, snapshots, database } = application;
await orm.migrator.up();
await store.connect();
const mode = (code: string, execution: 'inline' | 'workflow') => ({
  resourceType: 'COMMAND',
  code,
  content: { name: 'Create a lead', modelCode: 'lead', operations: ['CREATE'], execution },
});
await resources.save(
  'dev',
  [...(await readDrafts()), mode(INLINE_COMMAND, 'inline'), mode(WORKFLOW_COMMAND, 'workflow')],
  null,
);
await createUser(orm.em.fork(), ['SALES']);

const snapshot = await snapshots.current('dev');
const accounts = Array.from({ length: ACCOUNTS }, (_, index) => account(index));
await database.transaction((transaction) =>
  insertRecords(transaction, snapshot.model('account'), TENANTS[0].id, 'bench', accounts),
);
const model = snapshot.model('lead');
for (const tenant of TENANTS) {
  for (let from = 0; from < tenant.leads; from += CHUNK) {
    const size = Math.min(CHUNK, tenant.leads - from);
    const records = Array.from({ length: size }, (_, index) => lead(tenant, from + index));
    await database.transaction((transaction) => insertRecords(transaction, model, tenant.id, 'bench', records));
  }
}
// Otherwise autovacuum would run during the measurement.
for (const table of [model.table, snapshot.model('account').table]) {
  await sqlRunnerOf(orm.em.fork()).query(`vacuum analyze ${table}`);
}
await application.close();
console.log(
  `  Loaded ${TENANTS.map(({ leads }) => leads.toLocaleString('en')).join(' and ')} leads for ${TENANTS.length} tenants.`,
);
