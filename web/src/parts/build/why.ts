import { grantedBy } from './role-codes.ts';

/** What one role says about a permission. */
export interface RoleVerdict {
  readonly role: string;
  /** The code by which it grants it; null: it does not. */
  readonly by: string | null;
}

/** Roles that are in every environment, and grant by what they are. */
const BUILT_IN: Readonly<Record<string, (code: string) => boolean>> = {
  PLATFORM_ADMIN: () => true,
  ADMIN: (code) => !code.startsWith('admin:'),
};

/** Why someone with some roles may, or may not, do something. @param codesOf the codes of a role here */
export function verdicts(
  roles: readonly string[],
  codesOf: ReadonlyMap<string, readonly string[]>,
  permission: string,
): RoleVerdict[] {
  return roles.map((role) => {
    const builtIn = Object.hasOwn(BUILT_IN, role) ? BUILT_IN[role] : undefined;
    if (builtIn) return { role, by: builtIn(permission) ? '*' : null };
    // No role of a tenant has what all tenants share.
    const by = permission.startsWith('admin:') ? null : grantedBy(codesOf.get(role) ?? [], permission);
    return { role, by };
  });
}
