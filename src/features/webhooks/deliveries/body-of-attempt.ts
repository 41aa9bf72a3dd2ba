import type { Database } from '../../../foundation/database/pool.ts';
import type { EventVisibility } from '../../../platform/events/event-visibility.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { readerOf } from '../matching/subscription-reader.ts';
import { suspensionOfOwned } from '../../../platform/auth/accounts/left-behind.ts';
import { logBody, type StartedAttempt } from './delivery-attempts.ts';

/**
 * Decides what an attempt sends. The owner and their rights may have changed since the event was matched, so
 * each attempt asks again.
 */
export class BodyOfAttempt {
  readonly #database: Database;
  readonly #snapshots: SnapshotCache;
  readonly #visibility: EventVisibility;

  constructor(database: Database, snapshots: SnapshotCache, visibility: EventVisibility) {
    this.#database = database;
    this.#snapshots = snapshots;
    this.#visibility = visibility;
  }

  /**
   * What the subscription's owner may see of the event now; null when that is nothing, or the subscription is
   * paused.
   */
  async of(begun: StartedAttempt): Promise<string | null> {
    const metadata = await this.#snapshots.current(begun.environment);
    if (suspensionOfOwned(begun, begun.ownerRoles, metadata) !== null) return null;
    const reader = readerOf(begun, metadata);
    const visible = await this.#visibility.visibleBody((work) => this.#database.transaction(work), begun, reader);
    if (!visible) return null;
    // An event about no model is never reduced: a body that the delivery has is its own, such as a channel's
    // reply.
    if (begun.modelCode === '' && visible.text === null) return begun.loggedBody ?? begun.body;
    if (visible.text !== begun.loggedBody) await logBody(this.#database, begun.pid, visible.text);
    return visible.text ?? begun.body;
  }
}
