import { ulid } from 'ulid';
import { appendAudit } from '../../src/audit/audit-log.ts';
import { MembershipEntity } from '../../src/auth/membership.entity.ts';
import { problemOfPassword } from '../../src/auth/password-rules.ts';
import { hashPassword } from '../../src/auth/password.ts';
import { TenantEntity } from '../../src/auth/tenant.entity.ts';
import { UserEntity } from '../../src/auth/user.entity.ts';
import type { PlatformOrm } from '../../src/database/orm.ts';
import { PLATFORM_ADMIN } from '../../src/metadata/permissions.ts';

/**
 * Creates the first administrator with a tenant of its own, where the installation has no user yet. An installation that
 * has one is left as it is: the variables are no way in.
 * @throws Error when the password breaks a rule
 */
export async function bootstrapAdmin(
  orm: PlatformOrm,
  { email, password }: { email: string; password: string },
): Promise<void> {
  if ((await orm.em.fork().count(UserEntity)) > 0) return;
  const problem = problemOfPassword(password, email);
  if (problem !== null) throw new Error(`BOOTSTRAP_ADMIN_PASSWORD ${problem}`);
  const passwordHash = await hashPassword(password);
  await orm.em.fork().transactional(async (em) => {
    // Several nodes may be set up at once: all but one find a user then.
    await em.execute('lock table platform."user" in share row exclusive mode');
    if ((await em.count(UserEntity)) > 0) return;
    const tenant = em.create(TenantEntity, { pid: ulid(), name: 'Default' });
    const username = email.split('@')[0] ?? email;
    const account = { pid: ulid(), email: email.toLowerCase(), username, passwordHash };
    const user = em.create(UserEntity, { ...account, defaultTenant: tenant });
    em.create(MembershipEntity, { user, tenant, roles: [PLATFORM_ADMIN] });
    await appendAudit(em, {
      actor: { userPid: 'system', username: 'system' },
      action: 'user.create',
      targetType: 'user',
      targetPid: user.pid,
      environment: null,
      reason: 'the first administrator',
      after: { email: user.email, username, roles: [PLATFORM_ADMIN] },
    });
  });
}
