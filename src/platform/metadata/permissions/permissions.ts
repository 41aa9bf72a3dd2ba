/** Permission codes of one caller; some end in `*`. */
export interface Permissions {
  has(code: string): boolean;
}

/** Permissions that can be shown. */
export interface GrantedPermissions extends Permissions {
  /** The codes that were granted; `*` stands for none of the `admin:` codes. */
  readonly codes: readonly string[];
}

/** May do everything. */
export const PLATFORM_ADMIN = 'PLATFORM_ADMIN';
/** May do everything but what all tenants share: the `admin:` codes. */
export const ADMIN = 'ADMIN';
/** Roles that no PERMISSION resource may take the code of: it would change nothing. */
export const BUILT_IN_ROLES: ReadonlySet<string> = new Set([PLATFORM_ADMIN, ADMIN]);

/** For what is done in the place of the configuration, and for no caller. */
export const ALL_PERMISSIONS: Permissions = { has: () => true };
const EVERYTHING: GrantedPermissions = { ...ALL_PERMISSIONS, codes: ['*', 'admin:*'] };
const EVERYTHING_OF_A_TENANT: GrantedPermissions = { has: (code) => !isOfAllTenants(code), codes: ['*'] };

const SCOPE = 'scope:';

/**
 * A permission code of an API key in the form of a role, which travels wherever roles do: a worker decides
 * with it, too. No role that a user can have looks like it.
 */
export function roleOfScope(code: string): string {
  return `${SCOPE}${code}`;
}

/** Codes for what all tenants share: no role of a tenant has them, not even by `*`. */
export function isOfAllTenants(code: string): boolean {
  return code.startsWith('admin:');
}

/**
 * The permissions that roles add up to. A role that the environment does not know grants nothing there.
 * @param codesOf the codes of a PERMISSION resource of the environment in use
 * @param renamed the codes of fields before they were renamed: former -> present
 */
export function permissionsOf(
  roles: readonly string[],
  codesOf: (role: string) => readonly string[],
  renamed: ReadonlyMap<string, string> = new Map(),
): GrantedPermissions {
  if (roles.includes(PLATFORM_ADMIN)) return EVERYTHING;
  if (roles.includes(ADMIN)) return EVERYTHING_OF_A_TENANT;
  const codes = new Set(roles.flatMap((role) => (role.startsWith(SCOPE) ? [] : codesOf(role))));
  const scopes = roles.filter((role) => role.startsWith(SCOPE)).map((role) => role.slice(SCOPE.length));
  for (const code of scopes) codes.add(code);
  for (const [former, present] of renamed) if (codes.has(former)) codes.add(present);
  const granted = (code: string): boolean =>
    codes.has(code) || wildcardsOf(code).some((wildcard) => codes.has(wildcard));
  // A key has an `admin:` code only where it was given that very code.
  const ofAllTenants = new Set(scopes.filter(isOfAllTenants));
  return {
    has: (code) => (isOfAllTenants(code) ? ofAllTenants.has(code) || ofAllTenants.has('admin:*') : granted(code)),
    codes: [...codes].filter((code) => !isOfAllTenants(code) || ofAllTenants.has(code)).sort(),
  };
}

/**
 * `*` as the last segment stands for whatever follows: `record:read:invoice` is also met by `record:read:*`,
 * `record:*` and `*`.
 */
function wildcardsOf(code: string): string[] {
  const segments = code.split(':');
  return segments.map((_, index) => [...segments.slice(0, index), '*'].join(':'));
}
