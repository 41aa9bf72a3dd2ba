import type { Transaction } from '../database/pool.ts';
import type { EventBody, OutboxEvent } from '../events/outbox.ts';
import { hiddenFields, modelsOf, withoutFields } from '../metadata/hidden-fields.ts';
import { ADMIN_METADATA } from '../metadata/permission-codes.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import { matchesEventType } from '../events/event-pattern.ts';
import { RECORD_EVENT_TYPES, recordEventsOf } from '../events/record-events.ts';

/** An event as triggers and waiting steps see it: of the outbox, or of a record that a command has changed. */
export interface SeenEvent {
  readonly source: OutboxEvent;
  readonly event_type: string;
  readonly model_code: string;
  readonly record_pid: string | null;
  readonly body: string;
  /** Names it: a trigger starts an automation once for it. */
  readonly key: string;
}

/** The event, and behind it the generic ones of its records where somebody listens to such. */
export async function withRecordEvents(
  transaction: Transaction,
  event: OutboxEvent,
  patterns: readonly string[],
): Promise<SeenEvent[]> {
  const { event_type: type, model_code: model, record_pid: record, body, pid } = event;
  const whole = { source: event, event_type: type, model_code: model, record_pid: record, body, key: pid };
  if (!RECORD_EVENT_TYPES.some((each) => patterns.some((pattern) => matchesEventType(pattern, each)))) return [whole];
  const derived = await recordEventsOf(transaction, event);
  return [whole, ...derived.map((each, index) => ({ ...each, source: event, key: `${pid}#${index}` }))];
}

/** The event without the fields that these roles may not read; null where it tells of what only designers may know. */
export function visibleBody(event: SeenEvent, metadata: Snapshot, roles: readonly string[]): EventBody | null {
  const permissions = metadata.permissionsOf(roles);
  if (event.event_type.startsWith('meta:') && !permissions.has(ADMIN_METADATA)) return null;
  const command = metadata.commands.get(event.source.command_code);
  const models = new Set(command ? modelsOf(command) : []);
  if (event.model_code !== '') models.add(event.model_code);
  return withoutFields(JSON.parse(event.body), hiddenFields(models, metadata, permissions)) as EventBody;
}
