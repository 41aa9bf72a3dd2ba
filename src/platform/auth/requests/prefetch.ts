import type { RedisCommand } from '../../../foundation/redis/redis-store.ts';
import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';

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
