import { columnList } from '../../../foundation/database/columns.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import type { EventConsequences, TracedDelivery } from '../../../platform/events/event-consequences.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';

const TRACED = columnList([
  'pid',
  'subscriptionPid',
  'eventPid',
  'status',
  'attemptCount',
  'createdAt',
  'finishedAt',
] satisfies (keyof TracedDelivery)[]);

/** The deliveries of events, for who may manage webhooks. */
export function tracedDeliveries(database: Database): NonNullable<EventConsequences['deliveries']> {
  return async ({ eventPids, limit }, { tenantId, metadata, permissions }) => {
    if (!permissions.has(WEBHOOK_MANAGE)) return [];
    return database.query<TracedDelivery>(
      `select ${TRACED} from platform.webhook_delivery
       where event_pid = any($1) and tenant_id = $2 and environment = $3 order by id limit $4`,
      [eventPids, tenantId, metadata.environment, limit],
    );
  };
}
