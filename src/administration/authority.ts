import type { Actor } from '../auth/actor.ts';
import { forbidden } from '../errors/application-error.ts';
import { ADMIN, BUILT_IN_ROLES, PLATFORM_ADMIN, type Permissions } from '../metadata/permissions.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';

const ENVIRONMENTS = ['dev', 'staging', 'prod'];

/**
 * What an actor may do to accounts, and may hand on to others. Accounts reach into every environment, so only what the actor
 * may do in each of them counts: else whoever can write a role in `dev` could rule in `prod`.
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
    return BUILT_IN_ROLES.has(role) || this.#snapshots.some(({ roles }) => roles.has(role));
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
