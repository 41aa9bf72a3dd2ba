import { boundedJson } from '../../../foundation/validation/json-parts.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import {
  ApplicationError,
  notFound,
  throwIfInvalid,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { ColumnValues } from '../../../platform/records/writing/payload.ts';
import type { WriteChecks } from '../../../platform/records/writing/record-writer.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import type { Operation, CommandContent } from '../definition/command-content.ts';
import { commandOrigins } from '../definition/command-origins.ts';
import { runSteps } from './command-steps.ts';
import { checkStateAndRules } from './state-and-rules.ts';
import { stateChange } from '../definition/command-transition.ts';
import { COMMAND } from '../definition/command-type.ts';
import { CommandWriter, eventOfStep } from '../steps/command-writer.ts';
import { BATCH } from '../executions/execution.entity.ts';
import type { NewExecution } from '../executions/execution-store.ts';
import type { FinishedCommand } from '../executions/finished-command.ts';
import { matchValues } from '../definition/match-on.ts';
import { ownValues, relatedWrites, type RelatedWrites } from '../request/related-payload.ts';
import { writeRelated } from './write-related.ts';
import { requireExpectedVersion } from '../request/command-request.ts';
import { requestUnderPresentCodes } from '../request/earlier-request.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { fieldsIn } from '../../../foundation/expressions/value-origin.ts';
import { toLoggedChanges } from '../../../platform/events/changes/record-events.ts';
import { fieldsHiddenFrom, visibleValue } from '../../../platform/metadata/snapshot/visible-value.ts';

/** A command of the configuration with its checked input. */
export type RequestedCommand = Pick<NewExecution, 'commandCode' | 'payload' | 'targetRecordId' | 'expectedVersion'> & {
  readonly matchOn: readonly string[] | null;
  readonly operation: Operation;
};

/** Result, change log and events of a performed command. The result is as its caller may see it. */
export type CommandEffect = Required<FinishedCommand>;

/** Writes a command's records, in a transaction that has the actor's tenant. @throws the command's failure */
export async function performCommand(
  transaction: Transaction,
  actor: Actor,
  requested: RequestedCommand,
): Promise<CommandEffect> {
  const command = actor.metadata.get(COMMAND, requested.commandCode);
  const writer = new CommandWriter(transaction, actor);
  const result = await write(command, requested, actor, writer);
  const { changes, emitted, runStarts } = writer;
  return effectOf(command, requested, { result, changes, emitted, runStarts }, resultPresenter(command, actor));
}

/** The full result of a command, and what it has done. */
type Written = { readonly result: unknown } & Pick<CommandWriter, 'changes'> &
  Partial<Pick<CommandWriter, 'emitted' | 'runStarts'>>;

/** The effect of a command's writes. @param present leaves out what its caller may not see */
export function effectOf(
  command: CommandContent,
  { commandCode, payload, targetRecordId }: RequestedCommand,
  { result, changes, emitted = [], runStarts = [] }: Written,
  present: (result: unknown) => unknown,
): CommandEffect {
  const { modelCode } = command;
  const event = {
    pid: newPid(),
    eventType: command.event?.type ?? commandCode,
    modelCode,
    recordPid: targetRecordId ?? changes[0]?.recordPid ?? null,
    body: boundedJson({ commandCode, modelCode, payload, result }),
    origins: commandOrigins(command),
    runStarts: runStarts.length > 0 ? runStarts : null,
  };
  const events = emitted.map((each) => eventOfStep(each, event, commandCode));
  const logged = toLoggedChanges(changes, result, event.origins.result);
  return { result: present(result), changes: logged, event, emitted: events };
}

/** What an accepted execution asks for; what its fields were called then follows their renames. */
export function commandIn({ operation, ...execution }: NewExecution, metadata: Snapshot): RequestedCommand {
  if (operation === BATCH) throw new Error('a batch is no command');
  const command = metadata.find(COMMAND, execution.commandCode);
  if (!command || execution.metadataVersion >= metadata.version) return { ...execution, operation };
  return { ...requestUnderPresentCodes(command, execution, metadata), operation };
}

/** Its plain operation on its model, or its steps. Gives the full result. */
async function write(
  command: CommandContent,
  requested: RequestedCommand,
  actor: Actor,
  writer: CommandWriter,
): Promise<unknown> {
  const { operation, payload, targetRecordId: target, expectedVersion: version, matchOn } = requested;
  const model = actor.metadata.model(command.modelCode);
  const apply = (record: RecordData | null, applied = operation) =>
    applyTo(record, command, { operation: applied, payload, requestedAs: operation }, actor, writer);
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

/** An UPSERT is applied as a CREATE or an UPDATE. */
interface AppliedOperation extends Pick<RequestedCommand, 'operation' | 'payload'> {
  readonly requestedAs: Operation;
}

async function applyTo(
  record: RecordData | null,
  command: CommandContent,
  applied: AppliedOperation,
  actor: Actor,
  writer: CommandWriter,
): Promise<unknown> {
  const { operation, payload } = applied;
  const model = actor.metadata.model(command.modelCode);
  if (command.payload) await writer.checkNamed(model, command.payload, payload);
  const context = await checkStateAndRules(command, actor, { request: { operation, payload }, record });
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
  const { values, related } = writtenValues(command, applied, actor);
  const written = record
    ? await writer.update(model, record, values, WRITE_CHECKS)
    : await writer.create(model, values, WRITE_CHECKS);
  return { ...written, ...(await writeRelated(command, related, written, actor, writer)) };
}

/** Of records that the caller writes, other than those that steps write. */
export const WRITE_CHECKS: WriteChecks = { rowRules: true };

/**
 * What a CREATE or UPDATE without steps writes: of its record, and of related ones.
 * @throws VALIDATION_ERROR, FORBIDDEN, PRECONDITION_REQUIRED
 */
export function writtenValues(
  command: CommandContent,
  { operation, payload, requestedAs }: AppliedOperation,
  actor: Actor,
): { readonly values: ColumnValues; readonly related: ReadonlyMap<string, RelatedWrites> } {
  const errors: FieldErrors = {};
  const creates = operation === 'CREATE';
  const values = ownValues(command, requestedAs, creates, payload, actor, errors);
  const related = relatedWrites(command, operation, payload, actor, errors);
  throwIfInvalid(errors);
  return { values: creates ? values : new Map([...values, ...stateChange(command)]), related };
}

function isTaken(error: unknown): boolean {
  return error instanceof ApplicationError && error.code === 'CONFLICT' && error.data?.reason === 'UNIQUE';
}

/**
 * Leaves out of results of a command what comes from fields that its caller may not read, unless the command
 * reveals them.
 */
export function resultPresenter(command: CommandContent, actor: Actor): (result: unknown) => unknown {
  const { result: origin = {} } = commandOrigins(command);
  const isHidden = fieldsHiddenFrom(actor, command.reveals);
  if (!fieldsIn(origin).some(isHidden)) return (result) => result ?? null;
  return (result) => visibleValue(result, origin, isHidden) ?? null;
}
