import type { RedisCommand } from '../../foundation/redis/redis-store.ts';
import type { Snapshot } from '../metadata/snapshot/snapshot.ts';

/** Who makes a request, before it is known for which tenant. */
export interface Caller {
  readonly userId: string;
  readonly userPid: string;
  readonly username: string;
  /** Tenant id -> role codes. */
  readonly memberships: Readonly<Record<string, readonly string[]>>;
  /** The session; null for a program with an API key. */
  readonly sessionPid: string | null;
  /** The key of a program; absent for a user. */
  readonly key?: CallerKey;
}

/** Who stands behind a program. */
export interface CallerKey {
  /** The pid of the user who made it, and so has seen its secret. */
  readonly madeBy: string;
  /** The pid of the user whose rights it needs. */
  readonly ownedBy: string;
  /** What it takes to grant it. */
  readonly codes: readonly string[];
  /** The owner's roles in the key's tenant; null where the owner is no active member. */
  readonly ownerRoles: readonly string[] | null;
}

/** What a request's `Authorization` claims, and how to find out whether it is true. */
export interface Claim {
  /** The tenant of requests without `X-Tenant-Id`. */
  readonly tenantId: string;
  /** Whose rate limit the request counts to. */
  readonly rateLimitKey: string;
  /** The key of what must be alive for it to count: a dead token uses nothing up. Empty: nothing must. */
  readonly sessionKey: string;
  /** Whether this node has had reason to believe it: such a claim is never refused for its address. */
  readonly isFamiliar: boolean;
  /** What to ask of the shared store. */
  readonly commands: readonly RedisCommand[];
  /** @throws UNAUTHORIZED unless the replies to `commands` confirm the claim */
  confirm(replies: readonly unknown[]): Promise<Caller>;
}

/** What a request claims before Redis has confirmed it: enough to guess what it will read. */
export interface UnverifiedClaims {
  readonly environment: string;
  readonly tenantId: string;
  /** This node's snapshot, perhaps not the newest; undefined before the cache is warm. */
  readonly metadata: Snapshot | undefined;
}

/**
 * Redis commands that travel in the round trip of the session check, and what their replies mean to the
 * handler.
 */
export interface Prefetch<T> {
  readonly commands: readonly RedisCommand[];
  readonly read: (replies: readonly unknown[]) => T;
}
