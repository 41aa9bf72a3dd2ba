import { readdir, readFile } from 'node:fs/promises';
import { ulid } from 'ulid';
import { parse } from 'yaml';
import { demoRecords } from '../../demo/records.ts';
import { MembershipEntity } from '../../src/platform/auth/accounts/membership.entity.ts';
import { hashPassword } from '../../src/platform/auth/passwords/password.ts';
import { TenantEntity, type Tenant } from '../../src/platform/auth/accounts/tenant.entity.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import type { Application } from '../../src/application.ts';
import type { PlatformOrm } from '../../src/foundation/database/orm.ts';
import { PLATFORM_ADMIN } from '../../src/platform/metadata/permissions/permissions.ts';
import type { ResourceDraft } from '../../src/platform/metadata/changes/resources.service.ts';
import { insertRecords } from '../../src/features/records/bulk-insert.ts';

const DEMO = new URL('../../demo/', import.meta.url);
const ENVIRONMENT = 'dev';
const SEED_USER = 'demo';

interface DemoUsers {
  password: string;
  channels: {
    channel: string;
    tenant: string;
    user: string;
    secret: string;
    roles: string[];
    replyUrl: string | null;
  }[];
  tenants: { id: string; name: string }[];
  users: {
    email: string;
    username: string;
    defaultTenant: string;
    memberships: { tenant: string; roles: string[] }[];
  }[];
}

/**
 * Loads the demo into `dev`: tenants and users, resources, records. A second call finds the tenants and
 * changes nothing, so changes to the demo's data and configuration stay.
 * @returns a line about what was loaded
 */
export async function loadDemo(application: Application): Promise<string> {
  const { orm, resources, snapshots, database } = application;
  const { password, tenants, users, channels } = parse(
    await readFile(new URL('users.yaml', DEMO), 'utf8'),
  ) as DemoUsers;
  const [first] = tenants;
  if (first && (await orm.em.fork().count(TenantEntity, { name: first.name })) > 0) return 'the demo is there already';

  const drafts = await readDrafts();
  await resources.save(ENVIRONMENT, drafts, null);
  const metadata = await snapshots.current(ENVIRONMENT);
  let count = 0;
  for (const { id } of tenants) {
    await database.transaction(async (transaction) => {
      for (const [modelCode, records] of demoRecords(id, new Date())) {
        await insertRecords(transaction, metadata.model(modelCode), id, SEED_USER, records);
        count += records.length;
      }
    });
  }
  // The tenants come last: they mark the demo as loaded.
  await createUsers(orm, await hashPassword(password), tenants, users);
  await bindChannels(application, channels);
  return `loaded the demo: ${drafts.length} resources, ${users.length} users, ${count} records`;
}

/** Binds the demo's channels to their tenants. */
async function bindChannels({ orm, snapshots, bindings }: Application, channels: DemoUsers['channels']): Promise<void> {
  const metadata = await snapshots.current(ENVIRONMENT);
  for (const { channel, tenant, user, ...request } of channels) {
    const { id, pid, username } = await orm.em.fork().findOneOrFail(UserEntity, { email: user });
    const roles = [PLATFORM_ADMIN];
    const whose = { userId: id, userPid: pid, username, tenantId: tenant, roles };
    await bindings.bind({ ...whose, permissions: metadata.permissionsOf(roles), metadata }, channel, request);
  }
}

export async function readDrafts(): Promise<ResourceDraft[]> {
  const root = new URL('resources/', DEMO);
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(names.map(async (name) => parse(await readFile(new URL(name, root), 'utf8')) as ResourceDraft));
}

async function createUsers(
  orm: PlatformOrm,
  passwordHash: string,
  tenants: DemoUsers['tenants'],
  users: DemoUsers['users'],
): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    const byId = new Map<string, Tenant>();
    for (const { id, name } of tenants) byId.set(id, em.create(TenantEntity, { id, name, pid: ulid() }));
    const tenantOf = (id: string): Tenant => byId.get(id) ?? em.getReference(TenantEntity, id);
    for (const { email, username, defaultTenant, memberships } of users) {
      const account = { pid: ulid(), email, username, passwordHash };
      const user = em.create(UserEntity, { ...account, defaultTenant: tenantOf(defaultTenant) });
      for (const { tenant, roles } of memberships)
        em.create(MembershipEntity, { user, tenant: tenantOf(tenant), roles });
    }
    // Explicit ids do not advance the identity column; later tenants must not collide with these.
    await em.flush();
    await em.execute(
      `select setval(pg_get_serial_sequence('platform.tenant', 'id'), (select max(id) from platform.tenant))`,
    );
  });
}
