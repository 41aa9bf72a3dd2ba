import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';

export const SUSPENSIONS = ['OWNER_INACTIVE', 'OWNER_DEMOTED'] as const;
/** INACTIVE: disabled, gone, or no member of the tenant. DEMOTED: without a permission that was granted. */
export type Suspension = (typeof SUSPENSIONS)[number];

/**
 * Why what a person has granted is suspended; null where that person may grant it. Asked at each use, with
 * the rights of that moment, so that there is no state to get out of date.
 * @param codes the permission codes that it takes to grant it
 * @param ownerRoles of the active user in the tenant; null where there is none
 */
export function suspensionOf(
  codes: readonly string[],
  ownerRoles: readonly string[] | null,
  metadata: Snapshot,
): Suspension | null {
  if (ownerRoles === null) return 'OWNER_INACTIVE';
  const permissions = metadata.permissionsOf(ownerRoles);
  return codes.every((code) => permissions.has(code)) ? null : 'OWNER_DEMOTED';
}
