import type { Transaction } from '../../../foundation/database/pool.ts';
import type { ReadableEvent } from '../../../platform/events/audience/event-visibility.ts';
import type { EventBody, OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import { recordEventsOf } from '../../../platform/events/changes/record-events.ts';

/**
 * An event that can trigger or resume runs: one of the outbox, or the generic event of a record it has
 * changed.
 */
export interface TriggerEvent extends ReadableEvent {
  readonly source: OutboxEvent;
  /** Names the event: it triggers an automation once. */
  readonly key: string;
}

/** Events by their pids, each followed by the generic events of its records where `isWanted` says so. */
export async function withRecordEvents(
  transaction: Transaction,
  events: readonly OutboxEvent[],
  isWanted: (event: OutboxEvent) => boolean,
): Promise<ReadonlyMap<string, TriggerEvent[]>> {
  const derived = await recordEventsOf(transaction, events, isWanted);
  return new Map(
    events.map((event) => {
      const generic = (derived.get(event.pid) ?? []).map((each, index) => ({
        ...each,
        source: event,
        key: `${event.pid}#${index}`,
      }));
      return [event.pid, [{ ...event, source: event, key: event.pid }, ...generic]];
    }),
  );
}

/** The variable `event` as it is stored: with its source fields, which expressions do not read. */
export function eventVariable({ source, eventType, recordPid, origins = null }: TriggerEvent, body: EventBody) {
  return { pid: source.pid, eventType, recordPid, ...body, origins };
}
