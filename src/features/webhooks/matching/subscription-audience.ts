import type { EventAudience } from '../../../platform/events/audience/event-audience.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { SubscriptionMatcher } from './subscription-matcher.ts';

/** The subscriptions that would hear of events, for who may manage them. */
export function subscriptionAudience(matcher: SubscriptionMatcher): EventAudience {
  return async (transaction, events, actor) => {
    if (!actor.permissions.has(WEBHOOK_MANAGE)) return [];
    const matches = await matcher.match(transaction, events, await matcher.listenersFor(transaction, events));
    const heard = new Map(matches.map(({ subscription: { pid, name } }) => [pid, name]));
    return [...heard].map(([pid, name]) => ({ pid, name }));
  };
}
