import type { Database } from '../../../foundation/database/pool.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';

/** How many deliveries are under way, of all tenants: asked of Postgres whenever Prometheus asks here. */
export function measureQueue(metrics: Metrics, database: Database): void {
  const help = 'Unfinished deliveries: queued for a slot, holding one, or waiting for a retry';
  metrics.gauge('webhook_deliveries', help, ['state'], async (gauge) => {
    const counts = await database.query<{ state: string; deliveries: number }>(
      `select 'queued' as state, count(*)::int as deliveries from platform.webhook_delivery where queued_at is not null
       union all select 'in_flight', count(*)::int from platform.webhook_delivery where slot_until > now()
       union all select 'waiting', count(*)::int from platform.webhook_delivery where next_attempt_at is not null`,
    );
    for (const { state, deliveries } of counts) gauge.set({ state }, deliveries);
  });
}
