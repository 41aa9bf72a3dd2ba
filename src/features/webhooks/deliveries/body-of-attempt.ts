import type { Database } from '../../../foundation/database/pool.ts';
import { TurnBatch } from '../../../foundation/database/turn-batch.ts';
import { CHANNEL_REPLY } from '../../../platform/events/audience/channel-replies.ts';
import type {
  EventQuestion,
  EventVisibility,
  VisibleBody,
} from '../../../platform/events/audience/event-visibility.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { readerOf } from '../subscription-reader.ts';
import { suspensionOfOwned } from '../../../platform/auth/left-behind.ts';
import { logBody, type StartedAttempt } from './delivery-attempts.ts';

/**
 * Decides what an attempt sends. The owner and their rights may have changed since the event was matched, so
 * each attempt asks again.
 */
export class BodyOfAttempt {
  readonly #database: Database;
  readonly #snapshots: SnapshotCache;
  readonly #visible: TurnBatch<EventQuestion, VisibleBody | null>;

  constructor(database: Database, snapshots: SnapshotCache, visibility: EventVisibility) {
    this.#database = database;
    this.#snapshots = snapshots;
    this.#visible = new TurnBatch((questions) =>
      visibility.visibleBodies((work) => database.transaction(work), questions),
    );
  }

  /**
   * What the subscription's owner may see of the event now; null when that is nothing, or the subscription is
   * paused.
   */
  async of(begun: StartedAttempt): Promise<string | null> {
    const metadata = await this.#snapshots.current(begun.environment);
    if (suspensionOfOwned(begun, begun.ownerRoles, metadata) !== null) return null;
    // A channel's reply is its own body, and its binding says where it goes.
    if (begun.eventType === CHANNEL_REPLY) return begun.loggedBody;
    const reader = readerOf(begun, metadata);
    const visible = await this.#visible.do({ event: begun, reader });
    if (!visible) return null;
    if (visible.text !== begun.loggedBody) await logBody(this.#database, begun.pid, visible.text);
    return visible.text ?? begun.body;
  }
}
