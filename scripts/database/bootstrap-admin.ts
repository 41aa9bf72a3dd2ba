import { ulid } from 'ulid';
import { MembershipEntity } from '../../src/auth/membership.entity.ts';
import { hashPassword } from '../../src/auth/password.ts';
import { TenantEntity } from '../../src/auth/tenant.entity.ts';
import { UserEntity } from '../../src/auth/user.entity.ts';
import type { PlatformOrm } from '../../src/database/orm.ts';
import { PLATFORM_ADMIN } from '../../src/metadata/permissions.ts';

/** Creates the first administrator with a tenant of its own, where the installation has no user yet. */
export async function bootstrapAdmin(
  orm: PlatformOrm,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const passwordHash = await hashPassword(password);
  await orm.em.fork().transactional(async (em) => {
    if ((await em.count(UserEntity)) > 0) return;
    const tenant = em.create(TenantEntity, { pid: ulid(), name: 'Default' });
    const username = email.split('@')[0] ?? email;
    const account = { pid: ulid(), email: email.toLowerCase(), username, passwordHash };
    const user = em.create(UserEntity, { ...account, defaultTenant: tenant });
    em.create(MembershipEntity, { user, tenant, roles: [PLATFORM_ADMIN] });
  });
}
