/** What somebody may do: a set of permission codes, some of which end in `*`. */
export interface Permissions {
  has(code: string): boolean;
}

/** May do everything. */
export const PLATFORM_ADMIN = 'PLATFORM_ADMIN';
/** May do everything but what all tenants share: the `admin:` codes. */
const ADMIN = 'ADMIN';
/** Roles that no PERMISSION resource may take the code of: it would change nothing. */
export const BUILT_IN_ROLES: ReadonlySet<string> = new Set([PLATFORM_ADMIN, ADMIN]);

const EVERYTHING: Permissions = { has: () => true };
const EVERYTHING_OF_A_TENANT: Permissions = { has: (code) => !isOfAllTenants(code) };

/** Codes for what all tenants share: no role of a tenant has them, not even by `*`. */
export function isOfAllTenants(code: string): boolean {
  return code.startsWith('admin:');
}

/**
 * The permissions that roles add up to. A role that the environment does not know grants nothing there.
 * @param codesOf the codes of a PERMISSION resource of the environment in use
 */
export function permissionsOf(roles: readonly string[], codesOf: (role: string) => readonly string[]): Permissions {
  if (roles.includes(PLATFORM_ADMIN)) return EVERYTHING;
  if (roles.includes(ADMIN)) return EVERYTHING_OF_A_TENANT;
  const codes = new Set(roles.flatMap((role) => codesOf(role)));
  const granted = (code: string): boolean =>
    codes.has(code) || wildcardsOf(code).some((wildcard) => codes.has(wildcard));
  return { has: (code) => !isOfAllTenants(code) && granted(code) };
}

/** `*` as the last segment stands for whatever follows: `record:read:invoice` is also met by `record:read:*`, `record:*` and `*`. */
function wildcardsOf(code: string): string[] {
  const segments = code.split(':');
  return segments.map((_, index) => [...segments.slice(0, index), '*'].join(':'));
}
