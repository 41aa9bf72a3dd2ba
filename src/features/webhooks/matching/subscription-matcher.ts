import type { EventAudience } from '../../../platform/events/audience/event-audience.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import { columnList, type RowOf } from '../../../foundation/database/columns.ts';
import { rolesOfMember } from '../../../platform/auth/accounts/membership.entity.ts';
import type { SubscriptionEntity } from '../subscription.entity.ts';
import type { SqlRunner, Transaction } from '../../../foundation/database/pool.ts';
import { inTurn } from '../../../foundation/jobs/turns.ts';
import { suspensionOfOwned } from '../../../platform/auth/orphaned.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { matchesFilter } from '../../../platform/events/event-filter.ts';
import { matchesEventType } from '../../../platform/metadata/resources/event-types.ts';
import { within, type EventVisibility } from '../../../platform/events/audience/event-visibility.ts';
import type { NewEvent } from '../../../platform/events/outbox/outbox.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { readerOf } from '../subscription-reader.ts';

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
type MatchingSubscription = Pick<RowOf<typeof SubscriptionEntity>, (typeof MATCHING)[number]> & {
  /** The present roles of its owner; null where that is no active member. */
  readonly ownerRoles: readonly string[] | null;
};

/** The enabled subscriptions of the tenants and environments that these events belong to. */
function subscriptionsFor(
  runner: SqlRunner,
  events: readonly Pick<NewEvent, 'environment' | 'tenantId'>[],
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

type Origin = Pick<NewEvent, 'environment' | 'tenantId'>;

/** A subscription, and whom it reads as. */
interface Listener {
  readonly subscription: MatchingSubscription;
  readonly reader: Actor;
}

/** The listeners of an event's tenant and environment. */
export type ListenersOf = (event: Origin) => readonly Listener[];

/** An event that a subscription hears. */
export interface Match<E extends NewEvent> {
  readonly event: E;
  readonly subscription: MatchingSubscription;
  /** The body as the subscription may see it; null where that is the event's own. */
  readonly body: string | null;
}

/**
 * Says which subscriptions hear an event: those enabled in its tenant and environment whose event type, model
 * and filter match, and which may see it. Spec: "Events", flow 4.
 */
export class SubscriptionMatcher {
  readonly #snapshots: SnapshotCache;
  readonly #visibility: EventVisibility;

  constructor(snapshots: SnapshotCache, visibility: EventVisibility) {
    this.#snapshots = snapshots;
    this.#visibility = visibility;
  }

  async listenersFor(runner: SqlRunner, events: readonly Origin[]): Promise<ListenersOf> {
    const environments = Map.groupBy(await subscriptionsFor(runner, events), ({ environment }) => environment);
    const listeners = [...environments].map(async ([environment, own]) => {
      const metadata = await this.#snapshots.current(environment);
      return own
        .filter((one) => suspensionOfOwned(one, one.ownerRoles, metadata) === null)
        .map((subscription) => ({ subscription, reader: readerOf(subscription, metadata) }));
    });
    const byOwner = Map.groupBy((await Promise.all(listeners)).flat(), ({ subscription }) => ownerKey(subscription));
    return (event) => byOwner.get(ownerKey(event)) ?? [];
  }

  /** The matches in the order of the events. */
  async match<E extends NewEvent>(
    transaction: Transaction,
    events: readonly E[],
    listenersOf: ListenersOf,
  ): Promise<Match<E>[]> {
    const candidates = events.flatMap((event) =>
      listenersOf(event)
        .filter(({ subscription }) => isInterested(subscription, event))
        .map((listener) => ({ event, ...listener })),
    );
    const bodies = await this.#visibility.visibleBodies(within(transaction), candidates);
    const matches: Match<E>[] = [];
    for (const [index, { event, subscription }] of candidates.entries()) {
      const visible = bodies[index];
      const { filterExpression: filter } = subscription;
      if (!visible || (filter !== null && !(await inTurn(() => matchesFilter(filter, visible.body()))))) continue;
      matches.push({ event, subscription, body: visible.text });
    }
    return matches;
  }
}

function isInterested({ eventType, modelCode }: MatchingSubscription, event: NewEvent): boolean {
  return matchesEventType(eventType, event.eventType) && (modelCode === null || modelCode === event.modelCode);
}

function ownerKey({ environment, tenantId }: Origin): string {
  return `${environment}:${tenantId}`;
}

/** The subscriptions that would hear of events, for who may manage them. */
export function subscriptionAudience(matcher: SubscriptionMatcher): EventAudience {
  return async (transaction, events, actor) => {
    if (!actor.permissions.has(WEBHOOK_MANAGE)) return [];
    const matches = await matcher.match(transaction, events, await matcher.listenersFor(transaction, events));
    const heard = new Map(matches.map(({ subscription: { pid, name } }) => [pid, name]));
    return [...heard].map(([pid, name]) => ({ pid, name }));
  };
}
