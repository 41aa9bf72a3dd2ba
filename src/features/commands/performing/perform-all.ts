import type { Transaction } from '../../../foundation/database/pool.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { ColumnValues } from '../../../platform/records/writing/payload.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import { RecordWriter } from '../../../platform/records/writing/record-writer.ts';
import { checkTransitions } from '../../../platform/records/writing/transitions.ts';
import type { CommandContent } from '../definition/command-content.ts';
import { COMMAND } from '../definition/command-type.ts';
import {
  effectOf,
  performCommand,
  WRITE_CHECKS,
  writtenValues,
  resultPresenter,
  type RequestedCommand,
  type CommandEffect,
} from './perform-command.ts';
import { checkStateAndRules } from './state-and-rules.ts';
import { writeRelated } from './write-related.ts';
import { columnList, toRecordset } from '../../../foundation/database/columns.ts';
import { changesInsert } from '../../../platform/events/changes/change-log.ts';
import { commandEventsInsert } from '../../../platform/events/outbox/outbox.ts';
import { OF_ITEM } from '../executions/batch-store.ts';
import { NEW_EXECUTION, type NewExecution } from '../executions/execution-store.ts';
import { insertEmitted } from '../executions/finished-command.ts';
import { newExecution } from '../request/command-request.ts';

/** What became of one of several commands. */
export type CommandOfMany = CommandEffect | { readonly refused: ApplicationError };

/**
 * As `performCommand`, for several, in their order. Commands that write one record each, without steps, take
 * as many statements as one of them.
 * @returns the effects; of those that a rule or the state of their record refuses, the refusal
 * @throws any other failure, after which none of them may be kept
 */
export async function performAll(
  transaction: Transaction,
  actor: Actor,
  commands: readonly RequestedCommand[],
): Promise<CommandOfMany[]> {
  if (!areIndependent(commands, actor)) {
    const effects: CommandEffect[] = [];
    for (const requested of commands) effects.push(await performCommand(transaction, actor, requested));
    return effects;
  }
  const outcomes = new Map<RequestedCommand, CommandOfMany>();
  for (const same of Map.groupBy(commands, ({ commandCode, operation }) => `${operation} ${commandCode}`).values()) {
    for (const [requested, outcome] of await performSame(transaction, actor, same)) outcomes.set(requested, outcome);
  }
  return commands.map((requested) => outcomes.get(requested) as CommandOfMany);
}

/** Whether each writes one record that no other of them writes, and reads nothing else. */
function areIndependent(commands: readonly RequestedCommand[], { metadata }: Actor): boolean {
  const targets = commands.flatMap(({ targetRecordId }) => targetRecordId ?? []);
  if (new Set(targets).size < targets.length) return false;
  return commands.every(({ commandCode, operation, payload }) => {
    const { steps, relations = [] } = metadata.get(COMMAND, commandCode);
    const isWrite = operation === 'CREATE' || operation === 'UPDATE';
    return isWrite && !steps && !relations.some(({ code }) => Object.hasOwn(payload, code));
  });
}

/** A command with the record that it changes, and what it writes. */
interface Write {
  readonly requested: RequestedCommand;
  readonly before: RecordData | null;
  readonly values: ColumnValues;
}

/** Commands of one code and operation. */
async function performSame(
  transaction: Transaction,
  actor: Actor,
  commands: readonly RequestedCommand[],
): Promise<Map<RequestedCommand, CommandOfMany>> {
  const command = actor.metadata.get(COMMAND, commands[0]?.commandCode ?? '');
  const model = actor.metadata.model(command.modelCode);
  const writer = new RecordWriter(transaction, actor);
  const targets = commands.flatMap(({ targetRecordId: pid, expectedVersion }) =>
    pid === null ? [] : [{ pid, expectedVersion }],
  );
  const records = targets.length === 0 ? [] : await writer.tryLockAll(model, targets);
  const outcomes = new Map<RequestedCommand, CommandOfMany>();
  const writes: Write[] = [];
  for (const [index, requested] of commands.entries()) {
    const write = await toWrite(command, requested, actor, records[index] ?? null);
    if ('refused' in write) outcomes.set(requested, write);
    else writes.push(write);
  }
  const written = await writeAll(writer, command, actor, writes);
  const present = resultPresenter(command, actor);
  const all = writer.changes;
  for (const [index, { requested }] of writes.entries()) {
    const changes = all.slice(index, index + 1);
    const record = written[index] as RecordData;
    // A result has the lists of related records, empty ones as well.
    const result = command.relations
      ? { ...record, ...(await writeRelated(command, new Map(), record, actor, writer)) }
      : record;
    outcomes.set(requested, effectOf(command, requested, { result, changes }, present));
  }
  return outcomes;
}

async function toWrite(
  command: CommandContent,
  requested: RequestedCommand,
  actor: Actor,
  before: RecordData | ApplicationError | null,
): Promise<Write | { readonly refused: ApplicationError }> {
  try {
    if (before instanceof ApplicationError) throw before;
    await checkStateAndRules(command, actor, { request: requested, record: before });
    const { values } = writtenValues(command, { ...requested, requestedAs: requested.operation }, actor);
    if (before) checkTransitions(actor.metadata.model(command.modelCode), actor, before, values);
    return { requested, before, values };
  } catch (error) {
    if (error instanceof ApplicationError && error.status < 500) return { refused: error };
    throw error;
  }
}

async function writeAll(
  writer: RecordWriter,
  { modelCode }: CommandContent,
  { metadata }: Actor,
  writes: readonly Write[],
): Promise<RecordData[]> {
  if (writes.length === 0) return [];
  const model = metadata.model(modelCode);
  const updates = writes.flatMap(({ before, values }) => (before ? [{ before, values }] : []));
  if (updates.length > 0) return writer.updateAll(model, updates, WRITE_CHECKS);
  return writer.createAll(
    model,
    writes.map(({ values }) => values),
    WRITE_CHECKS,
  );
}

/** A command whose records a transaction has written, with what follows from it. */
export interface PerformedCommand {
  readonly requested: RequestedCommand;
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
  for (const { requested, effect } of performed) {
    const execution = newExecution(actor, requested.commandCode, { ...requested, idempotencyKey: null }, traceId, null);
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
