import type { Database } from '../database/pool.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** How many deliveries are under way, of all tenants: asked of Postgres whenever Prometheus asks here. */
export function measureQueue(metrics: Metrics, database: Database): void {
  const help = 'Unfinished deliveries: queued for a slot, holding one, or waiting for a retry';
  metrics.gauge('webhook_deliveries', help, ['state'], async (gauge) => {
    const [counts] = await database.query<Record<'queued' | 'in_flight' | 'waiting', number>>(
      `select (select count(*)::int from platform.webhook_delivery where queued_at is not null) as queued,
         (select count(*)::int from platform.webhook_delivery where slot_until > now()) as in_flight,
         (select count(*)::int from platform.webhook_delivery where next_attempt_at is not null) as waiting`,
    );
    for (const [state, count] of Object.entries(counts ?? {})) gauge.set({ state }, count);
  });
}
