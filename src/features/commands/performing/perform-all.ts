import type { Transaction } from '../../../foundation/database/pool.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { ColumnValues } from '../../records/payload.ts';
import type { RecordData } from '../../records/record-reader.ts';
import { RecordWriter } from '../../records/writing/record-writer.ts';
import { checkTransitions } from '../../records/writing/transitions.ts';
import type { CommandContent } from '../command-content.ts';
import { COMMAND } from '../command-type.ts';
import {
  checkAsked,
  effectOf,
  performCommand,
  WRITE_CHECKS,
  writtenValues,
  type AskedCommand,
  type CommandEffect,
} from './perform-command.ts';
import { resultPresenter } from './present.ts';
import { writeRelated } from '../relations/write-related.ts';

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
  commands: readonly AskedCommand[],
): Promise<CommandOfMany[]> {
  if (!areIndependent(commands, actor)) {
    const effects: CommandEffect[] = [];
    for (const asked of commands) effects.push(await performCommand(transaction, actor, asked));
    return effects;
  }
  const outcomes = new Map<AskedCommand, CommandOfMany>();
  for (const same of Map.groupBy(commands, ({ commandCode, operation }) => `${operation} ${commandCode}`).values()) {
    for (const [asked, outcome] of await performSame(transaction, actor, same)) outcomes.set(asked, outcome);
  }
  return commands.map((asked) => outcomes.get(asked) as CommandOfMany);
}

/** Whether each writes one record that no other of them writes, and reads nothing else. */
function areIndependent(commands: readonly AskedCommand[], { metadata }: Actor): boolean {
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
  readonly asked: AskedCommand;
  readonly before: RecordData | null;
  readonly values: ColumnValues;
}

/** Commands of one code and operation. */
async function performSame(
  transaction: Transaction,
  actor: Actor,
  commands: readonly AskedCommand[],
): Promise<Map<AskedCommand, CommandOfMany>> {
  const command = actor.metadata.get(COMMAND, commands[0]?.commandCode ?? '');
  const model = actor.metadata.model(command.modelCode);
  const writer = new RecordWriter(transaction, actor);
  const targets = commands.flatMap(({ targetRecordId: pid, expectedVersion }) =>
    pid === null ? [] : [{ pid, expectedVersion }],
  );
  const records = targets.length === 0 ? [] : await writer.tryLockAll(model, targets);
  const outcomes = new Map<AskedCommand, CommandOfMany>();
  const writes: Write[] = [];
  for (const [index, asked] of commands.entries()) {
    const write = await toWrite(command, asked, actor, records[index] ?? null);
    if ('refused' in write) outcomes.set(asked, write);
    else writes.push(write);
  }
  const written = await writeAll(writer, command, actor, writes);
  const present = resultPresenter(command, actor);
  for (const [index, { asked }] of writes.entries()) {
    const changes = writer.changes.slice(index, index + 1);
    const record = written[index] as RecordData;
    // A result has the lists of related records, empty ones as well.
    const result = command.relations
      ? { ...record, ...(await writeRelated(command, new Map(), record, actor, writer)) }
      : record;
    outcomes.set(asked, effectOf(command, asked, { result, changes }, present));
  }
  return outcomes;
}

async function toWrite(
  command: CommandContent,
  asked: AskedCommand,
  actor: Actor,
  before: RecordData | ApplicationError | null,
): Promise<Write | { readonly refused: ApplicationError }> {
  try {
    if (before instanceof ApplicationError) throw before;
    await checkAsked(command, asked, actor, before);
    const { values } = writtenValues(command, asked, actor);
    if (before) checkTransitions(actor.metadata.model(command.modelCode), actor, before, values);
    return { asked, before, values };
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
