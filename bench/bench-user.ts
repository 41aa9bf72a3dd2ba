import { ulid } from 'ulid';
import type { PlatformEntityManager } from '../src/foundation/database/orm.ts';
import { MembershipEntity } from '../src/platform/auth/accounts/membership.entity.ts';
import { TenantEntity } from '../src/platform/auth/accounts/tenant.entity.ts';
import { UserEntity } from '../src/platform/auth/accounts/user.entity.ts';
import { hashPassword } from '../src/platform/auth/accounts/password-hash.ts';
import { LOGIN, TENANTS } from './bench-data.ts';

/** Creates the tenants, and the benchmark's user as a member of the first. */
export async function createUser(em: PlatformEntityManager, roles: string[]): Promise<void> {
  const [tenant] = TENANTS.map(({ id, name }) => em.create(TenantEntity, { id, name, pid: ulid() }));
  if (!tenant) throw new Error('there is no tenant');
  const { email, password } = LOGIN;
  const passwordHash = await hashPassword(password);
  const user = em.create(UserEntity, { pid: ulid(), email, username: 'Bench', passwordHash, defaultTenant: tenant });
  em.create(MembershipEntity, { user, tenant, roles });
  await em.flush();
}
