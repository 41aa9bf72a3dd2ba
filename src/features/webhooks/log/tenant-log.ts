import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { columnList, type RowOf } from '../../../foundation/database/columns.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { AttemptEntity } from '../deliveries/delivery.entity.ts';
import type { SubscriptionEntity } from '../subscription.entity.ts';
import { LISTED, type DeliveryFilter, type ListedRow } from './delivery-log.ts';

/** How the last attempt was answered: the first digit of the status; `none`: not at all. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

export interface TenantLogFilter extends DeliveryFilter {
  readonly subscriptionPid?: string | undefined;
  readonly statusClass?: (typeof STATUS_CLASSES)[number] | undefined;
}

/** A delivery with what a log says of it: where it goes, and how its last attempt went. */
export type LoggedDelivery = ListedRow &
  Pick<RowOf<typeof SubscriptionEntity>, 'targetUrl' | 'maxRetries'> &
  Pick<RowOf<typeof AttemptEntity>, 'statusCode' | 'errorClass' | 'durationMs'> & { readonly subscriptionName: string };

/** Each subscription is read along its own index, so that the newest of all cost the newest of each. */
const LOG = `select d.*, s.name as subscription_name, s.target_url, s.max_retries
from platform.webhook_subscription s cross join lateral (
  select ${columnList(LISTED, 'd')}, a.status_code, a.error_class, a.duration_ms
  from platform.webhook_delivery d
  left join platform.webhook_attempt a on a.delivery_pid = d.pid and a.number = d.attempt_count
  where d.subscription_pid = s.pid and ($4::bigint is null or d.id < $4)
    and ($5::text is null or d.status = $5) and ($6::text is null or d.event_type = $6)
    and ($7::timestamptz is null or d.created_at >= $7) and ($8::timestamptz is null or d.created_at < $8)
    and ($9::text is null or case when $9 = 'none' then a.number is not null and a.status_code is null
      else left(a.status_code::text, 1) = left($9, 1) end)
  order by d.id desc limit $10
) d
where s.tenant_id = $1 and s.environment = $2 and s.deleted_at is null and ($3::text is null or s.pid = $3)
order by d.id desc limit $10`;

/**
 * The deliveries of all subscriptions of a tenant, newest first.
 * @param before a delivery's id to go on from; null: from the newest on
 * @returns them, and the id to go on from, or null at the end
 */
export async function tenantLog(
  runner: SqlRunner,
  { tenantId, metadata: { environment } }: Actor,
  { subscriptionPid, status, statusClass, eventType, since, until }: TenantLogFilter,
  before: string | null,
  limit: number,
): Promise<{ records: LoggedDelivery[]; next: string | null }> {
  const found = await runner.query<LoggedDelivery>(LOG, [
    tenantId,
    environment,
    subscriptionPid ?? null,
    before,
    status ?? null,
    eventType ?? null,
    since ?? null,
    until ?? null,
    statusClass ?? null,
    limit + 1,
  ]);
  const records = found.slice(0, limit);
  return { records, next: found.length > limit ? (records.at(-1)?.id ?? null) : null };
}
