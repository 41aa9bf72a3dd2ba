import { toRecordset } from '../../../foundation/database/columns.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { changeInsert, type RecordChange } from '../../../platform/events/changes/change-log.ts';
import { commandEventsInsert, eventInsert, type CommandEvent } from '../../../platform/events/outbox/outbox.ts';

/** What is stored of a command that ends well. */
export interface FinishedCommand {
  readonly result: unknown;
  readonly changes: readonly RecordChange[];
  readonly event: CommandEvent;
  /** The events of its steps. */
  readonly emitted?: readonly CommandEvent[];
}

const FINISH = `with finished as (
  update platform.command_execution set status = 'SUCCEEDED', result = $2::json, finished_at = now(), group_pid = $10
  where pid = $1
  returning pid, environment, tenant_id, user_pid, command_code, trace_id
), changed as (${changeInsert('finished', '$3')})
${eventInsert(
  {
    pid: '$4',
    environment: 'environment',
    tenantId: 'tenant_id',
    eventType: '$5',
    commandCode: 'command_code',
    modelCode: '$6',
    recordPid: '$8',
    executionPid: 'pid',
    changeIds: 'array(select id from changed order by id)',
    body: '$7',
    origins: '$9::json',
    runStarts: '$11::json',
    traceId: 'trace_id',
  },
  'finished',
)}`;

const EMIT = commandEventsInsert('platform.command_execution', null, '$1');

/** Inserts the events that steps of commands emit. */
export async function insertEmitted(
  transaction: SqlRunner,
  emitted: readonly (CommandEvent & { readonly executionPid: string })[],
): Promise<void> {
  if (emitted.length > 0) await transaction.query(EMIT, [toRecordset(emitted)]);
}

/**
 * Ends a command well: outcome, change log and outbox event in one statement of its transaction, and in
 * another one what its steps emit.
 */
export async function finish(
  transaction: SqlRunner,
  pid: string,
  { result, changes, event, emitted = [] }: FinishedCommand,
  groupPid: string | null,
): Promise<void> {
  const { eventType, modelCode, body, recordPid, origins, runStarts } = event;
  const finished = transaction.query(FINISH, [
    pid,
    JSON.stringify(result),
    toRecordset(changes),
    event.pid,
    eventType,
    modelCode,
    body,
    recordPid,
    origins ? JSON.stringify(origins) : null,
    groupPid,
    runStarts ? JSON.stringify(runStarts) : null,
  ]);
  await Promise.all([
    finished,
    insertEmitted(
      transaction,
      emitted.map((each) => ({ ...each, executionPid: pid })),
    ),
  ]);
}
