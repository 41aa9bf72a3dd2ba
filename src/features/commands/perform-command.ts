import { newPid } from '../../foundation/database/pid.ts';
import type { Transaction } from '../../foundation/database/pool.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { RecordChange } from '../../platform/events/change-log.ts';
import { valuesOfRecord } from '../../platform/metadata/models/expression-values.ts';
import { checkCreate, checkUpdate } from '../records/payload.ts';
import { RecordWriter } from '../records/record-writer.ts';
import type { CommandContent } from './command-content.ts';
import { commandSources } from './command-sources.ts';
import { checkRules, expressionContext, runSteps } from './command-steps.ts';
import { requireState, stateChange } from './command-transition.ts';
import { COMMAND } from './command-type.ts';
import { payloadValues } from './command-values.ts';
import type { CommandEvent, ExecutionRow } from './execution-store.ts';
import { presentResult } from './present.ts';

/** A command of the configuration with its checked input. */
type AskedCommand = Pick<ExecutionRow, 'commandCode' | 'operation' | 'payload' | 'targetRecordId' | 'expectedVersion'>;

/** What follows from a command whose records are written. */
interface CommandEffect {
  /** As its caller may see it. */
  readonly result: unknown;
  readonly changes: readonly RecordChange[];
  readonly event: CommandEvent;
}

/** Writes a command's records, in a transaction that has the actor's tenant. @throws the command's failure */
export async function performCommand(
  transaction: Transaction,
  actor: Actor,
  asked: AskedCommand,
): Promise<CommandEffect> {
  const { commandCode, payload, targetRecordId } = asked;
  const command = actor.metadata.get(COMMAND, commandCode);
  const writer = new RecordWriter(transaction, actor);
  const result = await write(command, asked, actor, writer);
  const { modelCode } = command;
  const event = {
    pid: newPid(),
    eventType: command.event?.type ?? commandCode,
    modelCode,
    recordPid: targetRecordId ?? writer.changes[0]?.recordPid ?? null,
    body: JSON.stringify({ commandCode, modelCode, payload, result }),
    sources: commandSources(command),
  };
  return { result: presentResult(result, command, actor), changes: writer.changes, event };
}

/** Its plain operation on its model, or its steps. Gives the full result. */
async function write(
  command: CommandContent,
  { operation, payload, targetRecordId: target, expectedVersion: version }: AskedCommand,
  actor: Actor,
  writer: RecordWriter,
): Promise<unknown> {
  const model = actor.metadata.model(command.modelCode);
  const record = target === null ? null : await writer.lock(model, target, version);
  if (record) requireState(command, model, actor, record);
  const changes = stateChange(command);
  if (command.rules || command.steps) {
    const values = payloadValues(command, operation, payload, actor);
    const context = expressionContext(actor, values, record && valuesOfRecord(model, record));
    checkRules(command.rules, context);
    if (command.steps) {
      if (record && changes.size > 0) await writer.update(model, record, changes);
      return runSteps(command, actor, writer, context);
    }
  }

  if (operation === 'CREATE')
    return writer.create(model, checkCreate(model, actor.permissions, payload, {}), { rowRules: true });
  if (!record) throw notFound('There is no such record');
  if (operation === 'UPDATE') {
    const values = new Map([...checkUpdate(model, actor.permissions, payload, {}), ...changes]);
    return writer.update(model, record, values, { rowRules: true });
  }
  await writer.delete(model, record);
  return { pid: record.pid };
}
