import { ulid } from 'ulid';
import { appendAudit } from '../../src/platform/audit/audit-log.ts';
import { MembershipEntity } from '../../src/platform/auth/accounts/membership.entity.ts';
import { problemOfPassword } from '../../src/platform/auth/passwords/password-rules.ts';
import { hashPassword } from '../../src/platform/auth/accounts/password-hash.ts';
import { TenantEntity } from '../../src/platform/auth/accounts/tenant.entity.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import type { PlatformOrm } from '../../src/foundation/database/orm.ts';
import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { PLATFORM_ADMIN } from '../../src/platform/metadata/permissions/permissions.ts';

/**
 * Creates the first administrator with a tenant of its own, if the installation has no user. With a user the
 * variables do nothing, so that they give no access.
 * @throws Error if the password violates a rule
 */
export async function bootstrapAdmin(
  orm: PlatformOrm,
  { email, password }: { email: string; password: string },
): Promise<void> {
  if ((await orm.em.fork().count(UserEntity)) > 0) return;
  const problem = problemOfPassword(password, email);
  if (problem !== null) throw new Error(`BOOTSTRAP_ADMIN_PASSWORD ${String(problem)}`);
  const passwordHash = await hashPassword(password);
  await orm.em.fork().transactional(async (em) => {
    // Of several nodes that are set up at once, all but one find a user.
    await sqlRunnerOf(em).query('lock table platform."user" in share row exclusive mode');
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
