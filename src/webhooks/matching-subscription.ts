import type { SqlRunner } from '../database/pool.ts';
import type { OutboxEvent } from '../events/outbox.ts';
import type { Ordering } from './subscription.entity.ts';

/** A subscription as matching needs it. */
export interface MatchingSubscription {
  readonly pid: string;
  readonly environment: string;
  readonly tenant_id: string;
  readonly event_type: string;
  readonly model_code: string | null;
  readonly filter_expression: string | null;
  readonly max_retries: number;
  readonly timeout_ms: number;
  readonly retry_schedule_ms: number[] | null;
  readonly ordering: Ordering;
  readonly roles: string[];
  readonly created_by: string;
  readonly created_by_name: string;
}

/** The enabled subscriptions of the tenants and environments that these events belong to. */
export function subscriptionsFor(runner: SqlRunner, events: readonly OutboxEvent[]): Promise<MatchingSubscription[]> {
  const owners = [...new Set(events.map(({ environment, tenant_id: tenantId }) => `${environment}:${tenantId}`))];
  return runner.query<MatchingSubscription>(
    `select s.pid, s.environment, s.tenant_id, s.event_type, s.model_code, s.filter_expression, s.max_retries, s.timeout_ms,
       s.retry_schedule_ms, s.ordering, s.roles, s.created_by, s.created_by_name
     from unnest($1::text[], $2::bigint[]) as o (environment, tenant_id)
     join platform.webhook_subscription s on s.environment = o.environment and s.tenant_id = o.tenant_id
     where s.enabled and s.deleted_at is null order by s.id`,
    [owners.map((owner) => owner.split(':')[0]), owners.map((owner) => owner.split(':')[1])],
  );
}
