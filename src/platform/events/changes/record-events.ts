import type { RECORD_EVENT_TYPES } from '../../metadata/resources/event-types.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { isRecordOf, memberOf, type ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { changesOf, type RecordChange } from './change-log.ts';
import { mergedChanges, recordOf } from './merged-changes.ts';
import type { EventBody, NewEvent, OutboxEvent } from '../outbox/outbox.ts';

type Fields = Readonly<Record<string, unknown>>;

const TYPES: Record<RecordChange['action'], (typeof RECORD_EVENT_TYPES)[number]> = {
  CREATE: 'record.created',
  UPDATE: 'record.updated',
  DELETE: 'record.deleted',
  // A receiver that mirrors records has deleted it.
  RESTORE: 'record.created',
};

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

/**
 * The changes of a command as they are logged: one for each record. It keeps the record's other fields only
 * where the result, from which its event is made, is not that record.
 * @param origin of the result
 */
export function toLoggedChanges(
  changes: readonly RecordChange[],
  result: unknown,
  origin: ValueOrigin | undefined,
): RecordChange[] {
  return mergedChanges(changes).map((change) => {
    if (change.unchanged === null) return change;
    const isAnswered = recordIn(result, origin, change)?.version === versionIn(change);
    return isAnswered ? { ...change, unchanged: null } : change;
  });
}

/** A system field, which no change writes by itself. */
const versionIn = ({ unchanged }: RecordChange): unknown => unchanged?.version;

/**
 * The generic events of what a command has changed: one for each record, however often it was written, in the
 * order of their first changes. None for a record that the command has both created and deleted.
 */
export function recordEventsFrom(event: NewEvent, changes: readonly RecordChange[]): NewEvent[] {
  const { result } = JSON.parse(event.body) as EventBody;
  const merged = Map.groupBy(mergedChanges(changes), recordOf);
  return [...merged.values()].flatMap(([change, deletion]) => {
    if (!change || deletion) return [];
    const answered = recordIn(result, event.origins?.result, change);
    return {
      pid: newPid(),
      environment: event.environment,
      tenantId: event.tenantId,
      eventType: TYPES[change.action],
      commandCode: event.commandCode,
      modelCode: change.modelCode,
      recordPid: change.recordPid,
      body: JSON.stringify(bodyOf(event.commandCode, change, answered)),
      traceId: event.traceId,
    };
  });
}

/**
 * `payload` has the fields that were written. `result` is the record after it: what the change log has of it,
 * else the record that the command has answered; a deleted record is named by its pid alone.
 */
function bodyOf(commandCode: string, change: RecordChange, answered: Fields | null) {
  const { modelCode, recordPid: pid, after, unchanged } = change;
  // What has been answered may stand before later writes of the same command.
  const record = after && { ...(unchanged ?? answered ?? { pid }), ...after };
  return { commandCode, modelCode, payload: after ?? {}, result: record ?? { pid } };
}

/**
 * The record in a command's result: a plain command answers with one record, a command with steps with
 * several by name. An object that an author has made of other values is none, whatever its pid.
 */
function recordIn(result: unknown, origin: ValueOrigin | undefined, change: RecordChange): Fields | null {
  if (typeof result !== 'object' || result === null) return null;
  const isTheRecord = (value: unknown, of: ValueOrigin | undefined): value is Fields =>
    (value as Fields | null)?.pid === change.recordPid && (!of || isRecordOf(of, change.modelCode));
  if (isTheRecord(result, origin)) return result;
  const members = Object.entries(result as Fields);
  const [, found] = members.find(([name, value]) => isTheRecord(value, origin && memberOf(origin, name))) ?? [];
  return (found as Fields | undefined) ?? null;
}
