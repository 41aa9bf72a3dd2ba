import { newPid } from '../../foundation/database/pid.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';
import { changesOf, type RecordChange } from './change-log.ts';
import { matchesEventType } from './event-pattern.ts';
import type { EventBody, NewEvent, OutboxEvent } from './outbox.ts';

/** The generic events, one for each record that a command has changed. */
export const RECORD_EVENT_TYPES = ['record.created', 'record.updated', 'record.deleted'] as const;

type Fields = Readonly<Record<string, unknown>>;

const TYPES: Record<RecordChange['action'], (typeof RECORD_EVENT_TYPES)[number]> = {
  CREATE: 'record.created',
  UPDATE: 'record.updated',
  DELETE: 'record.deleted',
};

export function isRecordEvent(eventType: string): boolean {
  return (RECORD_EVENT_TYPES as readonly string[]).includes(eventType);
}

/**
 * The generic events of a command's event, from its rows of the change log, in their order.
 * @param patterns event types that are listened for; none where they include no generic event
 */
export async function recordEventsOf(
  transaction: SqlRunner,
  event: OutboxEvent,
  patterns: readonly string[],
): Promise<NewEvent[]> {
  const isWanted = RECORD_EVENT_TYPES.some((type) => patterns.some((pattern) => matchesEventType(pattern, type)));
  if (!isWanted || event.changeIds.length === 0) return [];
  // Row-level security shows the change log of one tenant at a time.
  const tenant = transaction.query(`select set_config('keelson.tenant_id', $1, true)`, [event.tenantId]);
  const [, changes] = await Promise.all([tenant, changesOf(transaction, event.changeIds)]);
  const { result } = JSON.parse(event.body) as EventBody;
  return changes.map((change) => ({
    pid: newPid(),
    environment: event.environment,
    tenantId: event.tenantId,
    eventType: TYPES[change.action],
    commandCode: event.commandCode,
    modelCode: change.modelCode,
    recordPid: change.recordPid,
    body: JSON.stringify(bodyOf(event.commandCode, change, result)),
    traceId: event.traceId,
  }));
}

/**
 * `payload` has the fields that were written. `result` is the record after it where the command has answered
 * with that record, else its pid with what was written; a deleted record is named by its pid alone.
 */
function bodyOf(commandCode: string, { modelCode, recordPid: pid, after }: RecordChange, answered: unknown) {
  const record = after && (recordIn(answered, pid) ?? { pid, ...after });
  return { commandCode, modelCode, payload: after ?? {}, result: record ?? { pid } };
}

/**
 * The record in a command's result: a plain command answers with one record, a command with steps with
 * several by name.
 */
function recordIn(result: unknown, pid: string): Fields | null {
  if (typeof result !== 'object' || result === null) return null;
  const isTheRecord = (value: unknown): value is Fields => (value as Fields | null)?.pid === pid;
  return [result, ...Object.values(result as Fields)].find(isTheRecord) ?? null;
}
