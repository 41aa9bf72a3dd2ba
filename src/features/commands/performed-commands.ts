import { columnList, toRecordset } from '../../foundation/database/columns.ts';
import type { Transaction } from '../../foundation/database/pool.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { changesInsert } from '../../platform/events/changes/change-log.ts';
import { commandEventsInsert } from '../../platform/events/outbox/outbox.ts';
import { OF_ITEM } from './batches/batch-store.ts';
import { NEW_EXECUTION, type NewExecution } from './executions/execution-store.ts';
import { insertEmitted } from './executions/finished-command.ts';
import { newExecution } from './executions/new-execution.ts';
import type { AskedCommand, CommandEffect } from './performing/perform-command.ts';

/** A command whose records a transaction has written, with what follows from it. */
export interface PerformedCommand {
  readonly asked: AskedCommand;
  readonly effect: CommandEffect;
}

const OWN = [...OF_ITEM, 'commandCode'] as const;
const SHARED = NEW_EXECUTION.filter((property) => !OWN.some((each) => each === property));

const INSERT = `with executed as (
  insert into platform.command_execution (${columnList([...OWN, ...SHARED])}, status, result, finished_at)
  select ${columnList(OWN, 'o')}, ${columnList(SHARED, 's')}, 'SUCCEEDED', o.result, now()
  from json_populate_recordset(null::platform.command_execution, $1::json) o,
    json_populate_recordset(null::platform.command_execution, $4::json) s
  returning pid, environment, tenant_id, user_pid, command_code, trace_id
), changed as (${changesInsert('executed', '$2')})
${commandEventsInsert('executed', 'changed', '$3')}`;

/**
 * Writes down commands that a transaction has performed itself: their executions, ended, their changes and
 * their events, in one statement however many they are.
 */
export async function insertPerformed(
  transaction: Transaction,
  actor: Actor,
  traceId: string,
  performed: readonly PerformedCommand[],
): Promise<void> {
  const executions: object[] = [];
  const changes: object[] = [];
  const events: object[] = [];
  const emitted: Parameters<typeof insertEmitted>[1][number][] = [];
  let shared: object = {};
  for (const { asked, effect } of performed) {
    const execution = newExecution(actor, asked.commandCode, { ...asked, idempotencyKey: null }, traceId, null);
    const { pid: executionPid } = execution;
    shared = only(SHARED, execution);
    executions.push({ ...only(OWN, execution), result: effect.result });
    for (const change of effect.changes) changes.push({ ...change, executionPid });
    events.push({ ...effect.event, executionPid });
    for (const event of effect.emitted) emitted.push({ ...event, executionPid });
  }
  const rows = [executions, changes, events, [shared]].map(toRecordset);
  await transaction.query(INSERT, rows);
  await insertEmitted(transaction, emitted);
}

function only(properties: readonly (keyof NewExecution)[], execution: NewExecution): object {
  return Object.fromEntries(properties.map((property) => [property, execution[property]]));
}
