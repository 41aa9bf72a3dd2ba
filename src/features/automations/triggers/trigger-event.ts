import type { Transaction } from '../../../foundation/database/pool.ts';
import type { ReadableEvent } from '../../../platform/events/event-visibility.ts';
import type { EventBody, OutboxEvent } from '../../../platform/events/outbox.ts';
import { recordEventsOf } from '../../../platform/events/record-events.ts';

/**
 * An event that can trigger or resume runs: one of the outbox, or the generic event of a record it has
 * changed.
 */
export interface TriggerEvent extends ReadableEvent {
  readonly source: OutboxEvent;
  /** Names the event: it triggers an automation once. */
  readonly key: string;
}

/** The event, then the generic events of its records where one of the patterns asks for them. */
export async function withRecordEvents(
  transaction: Transaction,
  event: OutboxEvent,
  patterns: readonly string[],
): Promise<TriggerEvent[]> {
  const derived = await recordEventsOf(transaction, event, patterns);
  return [
    { ...event, source: event, key: event.pid },
    ...derived.map((each, index) => ({ ...each, source: event, key: `${event.pid}#${index}` })),
  ];
}

/** The variable `event` of expressions. */
export function eventVariable({ source, eventType, recordPid }: TriggerEvent, body: EventBody) {
  return { pid: source.pid, eventType, recordPid, ...body };
}
