import type { Transaction } from '../../../foundation/database/pool.ts';
import type { EventConsumer } from '../../../platform/events/outbox/event-relay.ts';
import type { OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { modelsReachedFrom } from '../../../platform/records/writing/record-deletion.ts';
import type { Scope, TotalsCache } from '../../../platform/records/totals-cache.ts';
import { COMMAND, modelsOf } from '../definition/command-type.ts';

/**
 * Makes totals stale once more when a command's event is relayed. The process that ran the command does so
 * after its commit, and may die in between; the event is part of the commit.
 */
export class TotalsOfEvents implements EventConsumer {
  readonly #snapshots: SnapshotCache;
  readonly #totals: TotalsCache;

  constructor(snapshots: SnapshotCache, totals: TotalsCache) {
    this.#snapshots = snapshots;
    this.#totals = totals;
  }

  /** @throws SERVICE_UNAVAILABLE: events whose totals may be wrong are not done */
  async consume(_transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>> {
    const scopes = new Map<string, Scope>();
    const snapshots = new Map<string, Snapshot>();
    const kinds = new Map(events.map((event) => [kindOf(event), event]));
    for (const { environment, tenantId, commandCode, modelCode: ofEvent } of kinds.values()) {
      const metadata = snapshots.get(environment) ?? (await this.#snapshots.current(environment));
      snapshots.set(environment, metadata);
      const command = metadata.find(COMMAND, commandCode);
      const written = command ? modelsReachedFrom(modelsOf(command), metadata) : [];
      for (const modelCode of [...written, ofEvent]) {
        scopes.set(`${environment} ${tenantId} ${modelCode}`, { environment, tenantId, modelCode });
      }
    }
    await this.#totals.stamp([...scopes.values()]);
    return async () => undefined;
  }
}

/** Events of one kind make the same totals stale. */
function kindOf({ environment, tenantId, commandCode, modelCode }: OutboxEvent): string {
  return [environment, tenantId, commandCode, modelCode].join(' ');
}
