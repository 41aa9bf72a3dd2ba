import { statfs } from 'node:fs/promises';
import { text } from '../../foundation/i18n/text.ts';
import type { Database } from '../../foundation/database/pool.ts';
import { outboxState } from '../../platform/events/outbox/outbox-state.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import type { RedisStore } from '../../foundation/redis/redis-store.ts';
import type { TemporalGateway } from '../../foundation/temporal/temporal-gateway.ts';
import type { HealthIndicator } from '../../platform/health/health-checks.ts';

export interface Thresholds {
  /** An event that waits longer means that no relay is running. */
  readonly outboxMaxAgeSeconds: number;
  readonly diskMinFreeMb: number;
}

export interface Dependencies {
  readonly database: Database;
  readonly store: RedisStore;
  readonly snapshots: SnapshotCache;
  readonly temporal: TemporalGateway;
  readonly environment: string;
}

const MB = 1024 * 1024;

/** What the service depends on, and what shows that it does its work. */
export function indicators(parts: Dependencies, { outboxMaxAgeSeconds, diskMinFreeMb }: Thresholds): HealthIndicator[] {
  const { database, store, snapshots, temporal, environment } = parts;
  return [
    {
      name: 'db',
      scope: 'system',
      neededForReadiness: true,
      check: async () => ({ up: (await database.query('select 1')).length === 1, details: database.connections }),
    },
    {
      name: 'redis',
      scope: 'system',
      neededForReadiness: true,
      check: async () => ({ up: (await store.pipeline([['ping']]))[0] === 'PONG' }),
    },
    {
      name: 'metadataCache',
      scope: 'node',
      neededForReadiness: true,
      check: async () => ({
        up: snapshots.isWarm(environment),
        details: { environment, version: snapshots.peek(environment)?.version ?? null },
      }),
    },
    {
      name: 'temporal',
      scope: 'system',
      neededForReadiness: false,
      check: async () => ({ up: await temporal.isReachable() }),
    },
    {
      name: 'outbox',
      scope: 'system',
      neededForReadiness: false,
      check: async () => {
        const { oldestSeconds, postponed } = await outboxState(database);
        const details = { oldestSeconds, outboxMaxAgeSeconds, postponed };
        const warning = text('{count} events cannot be matched and wait for another try', { count: postponed });
        return { up: oldestSeconds <= outboxMaxAgeSeconds, details, ...(postponed > 0 && { warning }) };
      },
    },
    {
      name: 'disk',
      scope: 'node',
      neededForReadiness: false,
      check: async () => {
        const { bavail, bsize } = await statfs('.');
        const freeMb = Math.floor((bavail * bsize) / MB);
        return { up: freeMb >= diskMinFreeMb, details: { freeMb, diskMinFreeMb } };
      },
    },
  ];
}
