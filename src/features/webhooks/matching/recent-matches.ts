import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { inTurn } from '../../../foundation/jobs/turns.ts';
import { matchesFilter } from '../../../platform/events/event-filter.ts';
import { matchesEventType } from '../../../platform/metadata/resources/event-types.ts';
import { within, type EventVisibility } from '../../../platform/events/audience/event-visibility.ts';
import { newestEvents } from '../../../platform/events/outbox/outbox.ts';
import { MATCHES_SHOWN, TEST_CANDIDATES } from '../webhooks.limits.ts';

/** What a draft of a subscription listens for. */
interface Draft {
  readonly eventType: string;
  readonly modelCode: string | null;
  readonly filterExpression: string | null;
}

/** Looks through the newest events for those that a draft would hear. */
export type MatchRecent = (actor: Actor, draft: Draft) => Promise<RecentMatches>;

interface RecentMatches {
  /** How many events of the type the actor may see, of the newest. */
  readonly looked: number;
  readonly matched: number;
  readonly events: readonly {
    readonly pid: string;
    readonly eventType: string;
    readonly modelCode: string | null;
    readonly createdAt: string;
    readonly traceId: string;
  }[];
}

/** As the actor would hear them: a subscription reads with the roles of the person who saves it. */
export function recentMatcher(database: Database, visibility: EventVisibility): MatchRecent {
  return (actor, { eventType: pattern, modelCode, filterExpression: filter }) =>
    database.transaction(async (transaction) => {
      const scope = { environment: actor.metadata.environment, tenantId: actor.tenantId, modelCode };
      const newest = await newestEvents(transaction, scope, pattern, TEST_CANDIDATES);
      const ofType = newest.filter(({ eventType }) => matchesEventType(pattern, eventType));
      const questions = ofType.map((event) => ({ event, reader: actor }));
      const bodies = await visibility.visibleBodies(within(transaction), questions);
      const visible = ofType.flatMap((event, index) => {
        const body = bodies[index];
        return body ? [{ event, body }] : [];
      });
      const matching: typeof visible = [];
      for (const one of visible) {
        if (filter === null || (await inTurn(() => matchesFilter(filter, one.body.body())))) matching.push(one);
      }
      const shown = matching.slice(0, MATCHES_SHOWN).map(({ event }) => {
        const { pid, eventType, modelCode: code, createdAt, traceId } = event;
        return { pid, eventType, modelCode: code === '' ? null : code, createdAt, traceId };
      });
      return { looked: visible.length, matched: matching.length, events: shown };
    });
}
