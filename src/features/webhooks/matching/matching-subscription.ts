import { columnList } from '../../../foundation/database/columns.ts';
import type { RowOf } from '../../../foundation/database/platform-row.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { rolesOfMember } from '../../../platform/auth/accounts/member-roles.ts';
import type { OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import type { SubscriptionEntity } from '../subscription.entity.ts';

const MATCHING = [
  'pid',
  'name',
  'environment',
  'tenantId',
  'eventType',
  'modelCode',
  'filterExpression',
  'maxRetries',
  'timeoutMs',
  'retryScheduleMs',
  'ordering',
  'roles',
  'createdBy',
  'createdByName',
] as const;

/** A subscription as matching needs it. */
export type MatchingSubscription = Pick<RowOf<typeof SubscriptionEntity>, (typeof MATCHING)[number]> & {
  /** The present roles of its owner; null where that is no active member. */
  readonly ownerRoles: readonly string[] | null;
};

/** The enabled subscriptions of the tenants and environments that these events belong to. */
export function subscriptionsFor(
  runner: SqlRunner,
  events: readonly Pick<OutboxEvent, 'environment' | 'tenantId'>[],
): Promise<MatchingSubscription[]> {
  const owners = [...new Set(events.map(({ environment, tenantId }) => `${environment}:${tenantId}`))];
  return runner.query<MatchingSubscription>(
    `select ${columnList(MATCHING, 's')}, ${rolesOfMember('s.tenant_id', 's.owned_by')} as owner_roles
     from unnest($1::text[], $2::bigint[]) as o (environment, tenant_id)
     join platform.webhook_subscription s on s.environment = o.environment and s.tenant_id = o.tenant_id
     where s.enabled and s.deleted_at is null order by s.id`,
    [owners.map((owner) => owner.split(':')[0]), owners.map((owner) => owner.split(':')[1])],
  );
}
