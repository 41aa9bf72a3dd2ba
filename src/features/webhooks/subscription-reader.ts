import { actorOf, type Actor } from '../../platform/auth/requests/actor.ts';
import type { Snapshot } from '../../platform/metadata/snapshot/snapshot.ts';

/** Whose roles a subscription reads with. */
interface SubscriptionReader {
  readonly tenantId: string;
  readonly createdBy: string;
  readonly createdByName: string;
  readonly roles: readonly string[];
}

/** A subscription reads as the user who saved it last. */
export function readerOf(subscription: SubscriptionReader, metadata: Snapshot): Actor {
  const { createdBy: userPid, createdByName: username, tenantId, roles } = subscription;
  return actorOf({ userId: '', userPid, username, tenantId, roles }, metadata);
}
