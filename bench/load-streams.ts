import { ulid } from 'ulid';
import { MembershipEntity } from '../src/auth/membership.entity.ts';
import { hashPassword } from '../src/auth/password.ts';
import { TenantEntity } from '../src/auth/tenant.entity.ts';
import { UserEntity } from '../src/auth/user.entity.ts';
import { readConfig } from '../src/config/config.ts';
import { createContainer } from '../src/container.ts';
import { LOGIN, TENANTS } from './bench-data.ts';

/** Brings the empty database to what the streams need: migrated, one user who may watch promotions. */
const container = await createContainer(readConfig());
const { orm } = container;
await orm.migrator.up();
const passwordHash = await hashPassword(LOGIN.password);
await orm.em.fork().transactional(async (em) => {
  const [{ id, name }] = TENANTS;
  const defaultTenant = em.create(TenantEntity, { id, name, pid: ulid() });
  const user = em.create(UserEntity, {
    pid: ulid(),
    email: LOGIN.email,
    username: 'Bench',
    passwordHash,
    defaultTenant,
  });
  em.create(MembershipEntity, { user, tenant: defaultTenant, roles: ['PLATFORM_ADMIN'] });
});
await container.close();
