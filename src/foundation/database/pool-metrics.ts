import type { Metrics } from '../metrics/metrics.ts';
import { connectionsOf, type PlatformOrm } from './orm.ts';
import type { Database } from './pool.ts';

/** Both doors to Postgres, by what their connections do. */
export function measurePools(metrics: Metrics, database: Database, orm: PlatformOrm): void {
  const labels = ['pool', 'state'] as const;
  metrics.gauge('database_connections', 'Connections to Postgres, and requests for one', labels, async (gauge) => {
    const pools = { tenant: database.connections, platform: await connectionsOf(orm) };
    for (const [pool, { used, idle, waiting }] of Object.entries(pools)) {
      gauge.set({ pool, state: 'used' }, used);
      gauge.set({ pool, state: 'idle' }, idle);
      gauge.set({ pool, state: 'waiting' }, waiting);
    }
  });
}
