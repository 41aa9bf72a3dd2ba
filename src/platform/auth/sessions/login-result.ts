import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { MembershipEntity, type Membership } from '../accounts/membership.entity.ts';
import { ACCESS_TOKEN_SECONDS } from '../auth.limits.ts';
import type { User } from '../accounts/user.entity.ts';

/** Spec: "Login result"; the fields from `expiresAt` on are ours. Times are ISO 8601. */
export interface LoginResult {
  readonly jwt: string;
  readonly userId: string;
  readonly userPid: string;
  readonly username: string;
  readonly tenantId: string;
  readonly tenantStatus: string;
  /** The end of `jwt`. */
  readonly expiresAt: string;
  readonly refreshToken: string;
  /** The end of the session, unless it is refreshed. */
  readonly refreshExpiresAt: string;
}

interface Issued {
  readonly jwtFor: (tenantId: string) => string;
  readonly refreshToken: string;
  readonly refreshExpiresAt: Date;
}

/** @throws UNAUTHORIZED for a member of no tenant */
export async function loginResult(
  em: PlatformEntityManager,
  user: User,
  issuedAt: Date,
  { jwtFor, refreshToken, refreshExpiresAt }: Issued,
): Promise<LoginResult> {
  const memberships = await em.find(
    MembershipEntity,
    { user: user.id },
    { populate: ['tenant'], orderBy: { tenant: 'asc' } },
  );
  const home = homeOf(memberships, user.defaultTenant.id);
  if (!home) throw new ApplicationError('UNAUTHORIZED', { message: 'The user is a member of no tenant' });
  const tenantId = home.tenant.id;
  return {
    jwt: jwtFor(tenantId),
    userId: user.id,
    userPid: user.pid,
    username: user.username,
    tenantId,
    tenantStatus: statusOf(home),
    expiresAt: new Date((Math.floor(issuedAt.getTime() / 1000) + ACCESS_TOKEN_SECONDS) * 1000).toISOString(),
    refreshToken,
    refreshExpiresAt: refreshExpiresAt.toISOString(),
  };
}

/** Spec: "Login result", `tenantStatus`. */
export function statusOf({ tenant }: Membership): string {
  return tenant.status === 'suspended' ? 'suspended' : 'member';
}

/** The tenant that a session is for: the default one where it can be used, else one that can. */
function homeOf(memberships: readonly Membership[], defaultTenantId: string): Membership | undefined {
  const preferred = memberships.filter(({ tenant }) => tenant.id === defaultTenantId);
  const ordered = [...preferred, ...memberships];
  return ordered.find(({ tenant }) => tenant.status === 'active') ?? ordered[0];
}
