import { TenantEntity } from '../../../platform/auth/accounts/tenant.entity.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { forbidden, validationError } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { ADMIN_USERS } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { Authority } from '../authority.ts';
import type { TenantRoles } from '../user-requests.ts';

/** @throws VALIDATION_ERROR for unknown roles, FORBIDDEN for those with more than the actor has */
export function requireGrantable(authority: Authority, places: readonly TenantRoles[]): void {
  const roles = places.flatMap((place) => place.roles);
  const unknown = roles.filter((role) => !authority.knows(role));
  if (unknown.length > 0)
    throw validationError({ memberships: text('there is no role {code}', { code: unknown.join(', ') }) });
  requireGrantableRoles(authority, roles);
}

export function requireGrantableRoles(authority: Authority, roles: readonly string[]): void {
  if (!roles.every((role) => authority.mayGrant(role))) throw forbidden(ADMIN_USERS);
}

export async function requireTenants(em: PlatformEntityManager, places: readonly TenantRoles[]): Promise<void> {
  const ids = places.map(({ tenantId }) => tenantId);
  const found = await em.find(TenantEntity, { id: { $in: ids } });
  const missing = ids.filter((id) => !found.some((tenant) => tenant.id === id));
  if (missing.length > 0)
    throw validationError({ memberships: text('there is no tenant {id}', { id: missing.join(', ') }) });
}
