import type { Actor } from '../../platform/auth/requests/actor.ts';
import { forbidden } from '../../foundation/errors/application-error.ts';
import {
  ADMIN,
  BUILT_IN_ROLES,
  PLATFORM_ADMIN,
  type Permissions,
} from '../../platform/metadata/permissions/permissions.ts';
import type { Snapshot } from '../../platform/metadata/snapshot/snapshot.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { PERMISSION } from '../../platform/metadata/permissions/permission-type.ts';
import { ENVIRONMENTS } from '../../foundation/config/environments.ts';

/**
 * What an actor may do to accounts, and may hand on to others. Accounts reach into every environment, so only
 * what the actor may do in each of them counts: else a writer of roles in `dev` could rule in `prod`.
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

  /** Whether everything that a role grants, in whichever environment, is the actor's as well. */
  mayGrant(role: string): boolean {
    if (role === PLATFORM_ADMIN) return this.#actor.roles.includes(PLATFORM_ADMIN);
    if (role === ADMIN) return this.has('*');
    return this.#snapshots.every((snapshot) => {
      const own = snapshot.permissionsOf(this.#actor.roles);
      return snapshot.permissionsOf([role]).codes.every((code) => own.has(code));
    });
  }
}

/** Makes the `authorize` of administration endpoints. */
export class Authorities {
  readonly #snapshots: SnapshotCache;

  constructor(snapshots: SnapshotCache) {
    this.#snapshots = snapshots;
  }

  /**
   * @throws (later) FORBIDDEN with `data.permission` unless the actor has the permission in every environment
   */
  requiring(permission: string) {
    return async ({ actor }: { readonly actor: Actor }): Promise<Authority> => {
      const authority = await Authority.of(actor, this.#snapshots);
      authority.require(permission);
      return authority;
    };
  }
}
