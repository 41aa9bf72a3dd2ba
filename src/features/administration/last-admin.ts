import { MembershipEntity } from '../../platform/auth/accounts/membership.entity.ts';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { conflict } from '../../foundation/errors/application-error.ts';
import { PLATFORM_ADMIN } from '../../platform/metadata/permissions/permissions.ts';

const LOCK = 'keelson:platform-admins';

/**
 * For a transaction that may take administrators away, before it locks anything else: there is one such at a
 * time, so that of two people who demote each other at once the second one's sees what the first one's has
 * left.
 * @returns the check for when the change is flushed, @throws CONFLICT (LAST_ADMIN) where it leaves no
 *   PLATFORM_ADMIN who can act
 */
export async function lockAdmins(em: PlatformEntityManager): Promise<() => Promise<void>> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [LOCK]);
  const before = await countAdmins(em);
  return async () => {
    // An installation that has none yet is not made worse.
    if (before === 0 || (await countAdmins(em)) > 0) return;
    throw conflict('LAST_ADMIN', 'Nobody would be PLATFORM_ADMIN any more');
  };
}

function countAdmins(em: PlatformEntityManager): Promise<number> {
  return em.count(MembershipEntity, {
    roles: { $contains: [PLATFORM_ADMIN] },
    user: { status: 'active' },
    tenant: { status: 'active' },
  });
}
