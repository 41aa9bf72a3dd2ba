import { ulid } from 'ulid';
import { readDrafts } from '../scripts/database/load-demo.ts';
import { MembershipEntity } from '../src/auth/membership.entity.ts';
import { hashPassword } from '../src/auth/password.ts';
import { TenantEntity } from '../src/auth/tenant.entity.ts';
import { UserEntity } from '../src/auth/user.entity.ts';
import { readConfig } from '../src/config/config.ts';
import { createContainer } from '../src/container.ts';
import { insertRecords } from '../src/records/bulk-insert.ts';
import { lead, LOGIN, TENANTS } from './bench-data.ts';

const CHUNK = 5_000;

/** Brings the empty database to the state that is measured: migrated, the demo's resources, one user, all leads. */
const container = await createContainer(readConfig());
const { orm, store, resources, snapshots, database } = container;
await orm.migrator.up();
await store.connect();
await resources.save('dev', await readDrafts(), null);

const passwordHash = await hashPassword(LOGIN.password);
await orm.em.fork().transactional(async (em) => {
  const tenants = TENANTS.map(({ id, name }) => em.create(TenantEntity, { id, name, pid: ulid() }));
  const [tenant] = tenants as [(typeof tenants)[0]];
  const user = em.create(UserEntity, {
    pid: ulid(),
    email: LOGIN.email,
    username: 'Bench',
    passwordHash,
    defaultTenant: tenant,
  });
  em.create(MembershipEntity, { user, tenant, roles: ['SALES'] });
});

const model = (await snapshots.current('dev')).model('lead');
for (const tenant of TENANTS) {
  for (let from = 0; from < tenant.leads; from += CHUNK) {
    const size = Math.min(CHUNK, tenant.leads - from);
    const records = Array.from({ length: size }, (_, index) => lead(tenant, from + index));
    await database.transaction((transaction) => insertRecords(transaction, model, tenant.id, 'bench', records));
  }
}
// Autovacuum would do this during the measurement.
await orm.em.fork().execute(`vacuum analyze ${model.table}`);
await container.close();
console.log(`  Loaded ${TENANTS.map(({ leads }) => leads.toLocaleString('en')).join(' and ')} leads for two tenants.`);
