import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';

/** How a subscription's deliveries have gone of late. Durations are those of attempts, in milliseconds. */
export interface DeliveryMetrics {
  readonly hours: number;
  readonly attempts: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Of the attempts that have ended; null where there are none. */
  readonly successRate: number | null;
  readonly durationMs: { readonly p50: number | null; readonly p95: number | null };
  /** Error class -> attempts. */
  readonly errors: Readonly<Record<string, number>>;
  /** Deliveries that are not at their end. */
  readonly unfinished: number;
  /** Deliveries that ran out of retries in that time. */
  readonly exhausted: number;
}

interface MetricsRow {
  readonly attempts: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly errors: Record<string, number>;
  readonly unfinished: number;
  readonly exhausted: number;
}

const METRICS = `with recent as (
  select finished_at, duration_ms, error_class from platform.webhook_attempt
  where subscription_pid = $1 and started_at > now() - $2 * interval '1 hour'
)
select count(*)::int as attempts,
  (count(*) filter (where finished_at is not null and error_class is null))::int as succeeded,
  (count(*) filter (where error_class is not null))::int as failed,
  percentile_disc(0.5) within group (order by duration_ms) as p50,
  percentile_disc(0.95) within group (order by duration_ms) as p95,
  coalesce((select jsonb_object_agg(error_class, attempts) from (
    select error_class, count(*)::int as attempts from recent where error_class is not null group by error_class) e), '{}') as errors,
  (select count(*)::int from platform.webhook_delivery
   where subscription_pid = $1 and status in ('PENDING', 'RETRYING')) as unfinished,
  (select count(*)::int from platform.webhook_delivery
   where subscription_pid = $1 and status = 'FAILED' and finished_at > now() - $2 * interval '1 hour') as exhausted
from recent`;

/** @param hours how far to look back */
export async function metricsOf(runner: SqlRunner, subscriptionPid: string, hours: number): Promise<DeliveryMetrics> {
  const [row] = await runner.query<MetricsRow>(METRICS, [subscriptionPid, hours]);
  const { attempts, succeeded, failed, p50, p95, errors, unfinished, exhausted } = row as MetricsRow;
  const ended = succeeded + failed;
  const successRate = ended === 0 ? null : Math.round((succeeded / ended) * 10_000) / 10_000;
  return { hours, attempts, succeeded, failed, successRate, durationMs: { p50, p95 }, errors, unfinished, exhausted };
}

/** How many deliveries are under way, of all tenants: asked of Postgres whenever Prometheus asks here. */
export function measureQueue(metrics: Metrics, runner: SqlRunner): void {
  const help = 'Unfinished deliveries: queued for a slot, holding one, or waiting for a retry';
  metrics.gauge('webhook_deliveries', help, ['state'], async (gauge) => {
    const counts = await runner.query<{ state: string; deliveries: number }>(
      `select 'queued' as state, count(*)::int as deliveries from platform.webhook_delivery where queued_at is not null
       union all select 'in_flight', count(*)::int from platform.webhook_delivery where slot_until > now()
       union all select 'waiting', count(*)::int from platform.webhook_delivery where next_attempt_at is not null`,
    );
    for (const { state, deliveries } of counts) gauge.set({ state }, deliveries);
  });
  metrics.gauge('webhook_circuits_open', 'Subscriptions whose endpoint is not called for now', [], async (gauge) => {
    const [row] = await runner.query<{ open: number }>(
      'select count(*)::int as open from platform.webhook_endpoint where open_until > now()',
    );
    gauge.set(row?.open ?? 0);
  });
}
