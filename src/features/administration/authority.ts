import type { Actor } from '../../platform/auth/requests/actor.ts';
import { forbidden, conflict, type FieldErrors } from '../../foundation/errors/application-error.ts';
import {
  ADMIN,
  BUILT_IN_ROLES,
  PLATFORM_ADMIN,
  type Permissions,
} from '../../platform/metadata/permissions/permissions.ts';
import { KnownPermissions } from '../../platform/metadata/permissions/known-permissions.ts';
import { ADMIN_CODES } from '../../platform/metadata/permissions/permission-codes.ts';
import type { Snapshot } from '../../platform/metadata/snapshot/snapshot.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { PERMISSION } from '../../platform/metadata/permissions/permission-type.ts';
import { ENVIRONMENTS } from '../../foundation/config/environments.ts';
import { MembershipEntity } from '../../platform/auth/accounts/membership.entity.ts';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';

const LOCK = 'keelson:platform-admins';

/**
 * For a transaction that may take administrators away, before it locks anything else: there is one such at a
 * time, so that of two people who demote each other at once the second one's sees what the first one's has
 * left.
 * @returns the check for when the change is flushed, @throws CONFLICT (LAST_ADMIN) where it leaves no
 *   PLATFORM_ADMIN who can act
 */
export async function lockAdmins(em: PlatformEntityManager): Promise<() => Promise<void>> {
  await sqlRunnerOf(em).query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK]);
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

/**
 * What an actor may do to accounts, and may grant to others. Accounts are valid in every environment, so a
 * permission counts only if the actor has it in all: else a writer of roles in `dev` could rule in `prod`.
 */
export class Authority implements Permissions {
  readonly #actor: Actor;
  readonly #snapshots: readonly Snapshot[];

  private constructor(actor: Actor, snapshots: readonly Snapshot[]) {
    this.#actor = actor;
    this.#snapshots = snapshots;
  }

  static async of(actor: Actor, snapshots: SnapshotCache): Promise<Authority> {
    return new Authority(actor, await Promise.all(ENVIRONMENTS.map((environment) => snapshots.current(environment))));
  }

  has(code: string): boolean {
    return this.#snapshots.every((snapshot) => snapshot.permissionsOf(this.#actor.roles).has(code));
  }

  /** @throws FORBIDDEN with `data.permission` */
  require(code: string): void {
    if (!this.has(code)) throw forbidden(code);
  }

  /** Whether a role exists in any environment. */
  knows(role: string): boolean {
    return BUILT_IN_ROLES.has(role) || this.#snapshots.some((snapshot) => snapshot.has(PERMISSION.name, role));
  }

  /** What is wrong with permission codes that a key is to have: some environment knows each. */
  problemsOfScopes(scopes: readonly string[]): FieldErrors {
    const made = this.#snapshots.flatMap(({ permissionCodes }) => [...permissionCodes]);
    const known = new KnownPermissions([...ADMIN_CODES, ...made]);
    const problems = scopes.map((code, index) => [`scopes.${index}`, known.problemOf(code)] as const);
    return Object.fromEntries(problems.flatMap(([path, problem]) => (problem === null ? [] : [[path, problem]])));
  }

  /** Whether the actor has all that a role grants, in each environment. */
  mayGrant(role: string): boolean {
    if (role === PLATFORM_ADMIN) return this.#actor.roles.includes(PLATFORM_ADMIN);
    if (role === ADMIN) return this.has('*');
    return this.#snapshots.every((snapshot) => {
      const own = snapshot.permissionsOf(this.#actor.roles);
      return snapshot.permissionsOf([role]).codes.every((code) => own.has(code));
    });
  }
}

/** Makes the `authorize` of an endpoint for which a permission is needed in every environment. */
export type RequireEverywhere = (permission: string) => (request: { readonly actor: Actor }) => Promise<Authority>;

/** What it makes throws FORBIDDEN with `data.permission`. */
export function requireEverywhere(snapshots: SnapshotCache): RequireEverywhere {
  return (permission) =>
    async ({ actor }) => {
      const authority = await Authority.of(actor, snapshots);
      authority.require(permission);
      return authority;
    };
}
