import { setTenant } from '../../../foundation/database/tenant.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { isRecordOf, memberOf, type Sources } from '../../../foundation/expressions/value-sources.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { changesOf, type RecordChange } from './change-log.ts';
import { matchesEventType } from '../event-pattern.ts';
import type { EventBody, NewEvent, OutboxEvent } from '../outbox/outbox.ts';

/** The generic events, one for each record that a command has changed. */
export const RECORD_EVENT_TYPES = ['record.created', 'record.updated', 'record.deleted'] as const;

type Fields = Readonly<Record<string, unknown>>;

const TYPES: Record<RecordChange['action'], (typeof RECORD_EVENT_TYPES)[number]> = {
  CREATE: 'record.created',
  UPDATE: 'record.updated',
  DELETE: 'record.deleted',
  // A receiver that mirrors records has deleted it.
  RESTORE: 'record.created',
};

export function isRecordEvent(eventType: string): boolean {
  return (RECORD_EVENT_TYPES as readonly string[]).includes(eventType);
}

/**
 * The generic events of commands' events, by the event's pid, from its rows of the change log, in their
 * order. One round trip for all.
 * @param isWanted whether any is listened for in the event's tenant
 */
export async function recordEventsOf(
  transaction: SqlRunner,
  events: readonly OutboxEvent[],
  isWanted: (event: OutboxEvent) => boolean,
): Promise<ReadonlyMap<string, NewEvent[]>> {
  const wanted = events.filter((event) => event.changeIds.length > 0 && isWanted(event));
  const tenants = [...Map.groupBy(wanted, ({ tenantId }) => tenantId)];
  const read = tenants.map(async ([tenantId, own]) => {
    // Row-level security shows the change log of one tenant at a time.
    const tenant = setTenant(transaction, tenantId);
    const ids = own.flatMap(({ changeIds }) => changeIds);
    const [, changes] = await Promise.all([tenant, changesOf(transaction, ids)]);
    return changes;
  });
  const changes = new Map((await Promise.all(read)).flat().map((change) => [change.id, change]));
  return new Map(
    wanted.map((event) => {
      const own = event.changeIds.flatMap((id) => changes.get(id) ?? []);
      return [event.pid, recordEventsFrom(event, own)];
    }),
  );
}

/** Whether one of these patterns includes a generic event. */
export function includesRecordEvents(patterns: readonly string[]): boolean {
  return RECORD_EVENT_TYPES.some((type) => patterns.some((pattern) => matchesEventType(pattern, type)));
}

/** The generic events of what a command has changed, in its order. */
export function recordEventsFrom(event: NewEvent, changes: readonly RecordChange[]): NewEvent[] {
  const { result } = JSON.parse(event.body) as EventBody;
  const answered = (change: RecordChange) => recordIn(result, event.sources?.result, change);
  return changes.map((change) => ({
    pid: newPid(),
    environment: event.environment,
    tenantId: event.tenantId,
    eventType: TYPES[change.action],
    commandCode: event.commandCode,
    modelCode: change.modelCode,
    recordPid: change.recordPid,
    body: JSON.stringify(bodyOf(event.commandCode, change, answered(change))),
    traceId: event.traceId,
  }));
}

/**
 * `payload` has the fields that were written. `result` is the record after it where the command has answered
 * with that record, else its pid with what was written; a deleted record is named by its pid alone.
 */
function bodyOf(commandCode: string, { modelCode, recordPid: pid, after }: RecordChange, answered: Fields | null) {
  const record = after && (answered ?? { pid, ...after });
  return { commandCode, modelCode, payload: after ?? {}, result: record ?? { pid } };
}

/**
 * The record in a command's result: a plain command answers with one record, a command with steps with
 * several by name. An object that an author has made of other values is none, whatever its pid.
 */
function recordIn(result: unknown, sources: Sources | undefined, change: RecordChange): Fields | null {
  if (typeof result !== 'object' || result === null) return null;
  const isTheRecord = (value: unknown, of: Sources | undefined): value is Fields =>
    (value as Fields | null)?.pid === change.recordPid && (!of || isRecordOf(of, change.modelCode));
  if (isTheRecord(result, sources)) return result;
  const members = Object.entries(result as Fields);
  const [, found] = members.find(([name, value]) => isTheRecord(value, sources && memberOf(sources, name))) ?? [];
  return (found as Fields | undefined) ?? null;
}
