import { inTurn } from '../../../foundation/jobs/turns.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import {
  ApplicationError,
  notFound,
  throwIfInvalid,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import type { ExpressionContext } from '../../../foundation/expressions/cel.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { valuesOfRecord } from '../../../platform/metadata/models/expression-values.ts';
import { checkCreate, checkUpdate, type ColumnValues } from '../../records/payload.ts';
import type { WriteChecks } from '../../records/writing/record-writer.ts';
import type { RecordData } from '../../records/record-reader.ts';
import type { CommandContent, Operation } from '../command-content.ts';
import { commandSources } from '../definition/command-sources.ts';
import { checkRules, expressionContext, runSteps } from './command-steps.ts';
import { requireState, stateChange } from '../definition/command-transition.ts';
import { COMMAND } from '../command-type.ts';
import { CommandWriter, eventOfStep } from '../steps/command-writer.ts';
import { payloadValues } from './command-values.ts';
import { BATCH } from '../executions/execution.entity.ts';
import type { NewExecution } from '../executions/execution-store.ts';
import type { FinishedCommand } from '../executions/finished-command.ts';
import { matchValues } from '../definition/match-on.ts';
import { resultPresenter } from './present.ts';
import { ownPayload, relatedWrites, type RelatedWrites } from '../relations/related-payload.ts';
import { writeRelated } from '../relations/write-related.ts';
import { requireExpectedVersion } from './record-precondition.ts';

/** A command of the configuration with its checked input. */
export type AskedCommand = Pick<NewExecution, 'commandCode' | 'payload' | 'targetRecordId' | 'expectedVersion'> & {
  readonly matchOn: readonly string[] | null;
  readonly operation: Operation;
};

/** Result, change log and events of a performed command. The result is as its caller may see it. */
export type CommandEffect = Required<FinishedCommand>;

/** Writes a command's records, in a transaction that has the actor's tenant. @throws the command's failure */
export async function performCommand(
  transaction: Transaction,
  actor: Actor,
  asked: AskedCommand,
): Promise<CommandEffect> {
  const command = actor.metadata.get(COMMAND, asked.commandCode);
  const writer = new CommandWriter(transaction, actor);
  const result = await write(command, asked, actor, writer);
  const { changes, emitted, runStarts } = writer;
  return effectOf(command, asked, { result, changes, emitted, runStarts }, resultPresenter(command, actor));
}

/** The full result of a command, and what it has done. */
type Written = { readonly result: unknown } & Pick<CommandWriter, 'changes'> &
  Partial<Pick<CommandWriter, 'emitted' | 'runStarts'>>;

/** The effect of a command's writes. @param present leaves out what its caller may not see */
export function effectOf(
  command: CommandContent,
  { commandCode, payload, targetRecordId }: AskedCommand,
  { result, changes, emitted = [], runStarts = [] }: Written,
  present: (result: unknown) => unknown,
): CommandEffect {
  const { modelCode } = command;
  const event = {
    pid: newPid(),
    eventType: command.event?.type ?? commandCode,
    modelCode,
    recordPid: targetRecordId ?? changes[0]?.recordPid ?? null,
    body: JSON.stringify({ commandCode, modelCode, payload, result }),
    sources: commandSources(command),
    runStarts: runStarts.length > 0 ? runStarts : null,
  };
  const events = emitted.map((each) => eventOfStep(each, event, commandCode));
  return { result: present(result), changes, event, emitted: events };
}

/** What an accepted execution asks for. */
export function commandIn({ operation, ...execution }: NewExecution): AskedCommand {
  if (operation === BATCH) throw new Error('a batch is no command');
  return { ...execution, operation };
}

/** Its plain operation on its model, or its steps. Gives the full result. */
async function write(
  command: CommandContent,
  asked: AskedCommand,
  actor: Actor,
  writer: CommandWriter,
): Promise<unknown> {
  const { operation, payload, targetRecordId: target, expectedVersion: version, matchOn } = asked;
  const model = actor.metadata.model(command.modelCode);
  const apply = (record: RecordData | null, applied = operation) =>
    applyTo(record, command, { operation: applied, payload }, actor, writer);
  if (operation !== 'UPSERT') return apply(target === null ? null : await writer.lock(model, target, version));
  const match = matchValues(model, actor.permissions, matchOn ?? [], payload);
  const update = async (): Promise<{ readonly result: unknown } | null> => {
    const record = await writer.lockMatch(model, match, version);
    if (!record) return null;
    requireExpectedVersion(model, { operation: 'UPDATE', expectedVersion: version });
    return { result: await apply(record, 'UPDATE') };
  };
  const updated = await update();
  if (updated) return updated.result;
  try {
    return await writer.attempt(() => apply(null, 'CREATE'));
  } catch (error) {
    if (!isTaken(error)) throw error;
    // Another command has created it meanwhile. One that is hidden from the caller stays a conflict.
    const now = await update();
    if (!now) throw error;
    return now.result;
  }
}

async function applyTo(
  record: RecordData | null,
  command: CommandContent,
  { operation, payload }: Pick<AskedCommand, 'operation' | 'payload'>,
  actor: Actor,
  writer: CommandWriter,
): Promise<unknown> {
  const model = actor.metadata.model(command.modelCode);
  const context = await checkAsked(command, { operation, payload }, actor, record);
  if (command.steps && context) {
    const changes = stateChange(command);
    if (record && changes.size > 0) await writer.update(model, record, changes);
    return runSteps(command, actor, writer, context);
  }

  if (operation !== 'CREATE' && !record) throw notFound('There is no such record');
  if (record && operation === 'DELETE') {
    await writer.delete(model, record);
    return { pid: record.pid };
  }
  const { values, related } = writtenValues(command, { operation, payload }, actor);
  const written = record
    ? await writer.update(model, record, values, WRITE_CHECKS)
    : await writer.create(model, values, WRITE_CHECKS);
  return { ...written, ...(await writeRelated(command, related, written, actor, writer)) };
}

/** Of records that the caller writes, other than those that steps write. */
export const WRITE_CHECKS: WriteChecks = { rowRules: true };

/**
 * @returns what the command's expressions read; null where it has none
 * @throws CONFLICT (STATE) for a target in another state; the error of a broken rule
 */
export async function checkAsked(
  command: CommandContent,
  { operation, payload }: Pick<AskedCommand, 'operation' | 'payload'>,
  actor: Actor,
  record: RecordData | null,
): Promise<ExpressionContext | null> {
  const model = actor.metadata.model(command.modelCode);
  if (record) requireState(command, model, actor, record);
  if (!command.rules && !command.steps) return null;
  const values = payloadValues(command, operation, payload, actor);
  const context = expressionContext(actor, values, record && valuesOfRecord(model, record));
  await inTurn(() => checkRules(command.rules, context));
  return context;
}

/**
 * What a CREATE or UPDATE without steps writes: of its record, and of related ones.
 * @throws VALIDATION_ERROR, FORBIDDEN, PRECONDITION_REQUIRED
 */
export function writtenValues(
  command: CommandContent,
  { operation, payload }: Pick<AskedCommand, 'operation' | 'payload'>,
  actor: Actor,
): { readonly values: ColumnValues; readonly related: ReadonlyMap<string, RelatedWrites> } {
  const model = actor.metadata.model(command.modelCode);
  const errors: FieldErrors = {};
  const check = operation === 'CREATE' ? checkCreate : checkUpdate;
  const values = check(model, actor.permissions, ownPayload(command, payload), errors);
  const related = relatedWrites(command, operation, payload, actor, errors);
  throwIfInvalid(errors);
  return { values: operation === 'CREATE' ? values : new Map([...values, ...stateChange(command)]), related };
}

function isTaken(error: unknown): boolean {
  return error instanceof ApplicationError && error.code === 'CONFLICT' && error.data?.reason === 'UNIQUE';
}
