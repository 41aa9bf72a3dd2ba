import type { StepAttempt, StepServices, StepOutcome } from './step-kind.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { conflict } from '../../../foundation/errors/application-error.ts';
import { fromStoredError } from '../../../foundation/errors/failure.ts';
import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import { parseCommandRequest } from '../../commands/request/command-request.ts';
import { requestUnderPresentCodes } from '../../commands/request/earlier-request.ts';
import { findExecutionOfRun } from '../../commands/executions/execution-store.ts';
import type { CommandsService } from '../../commands/intake/commands.service.ts';
import { COMMAND_POLL_MS } from '../automations.limits.ts';
import type { CommandCall } from './step-schema.ts';

/**
 * Executes the command of a step or of a compensation once: an execution that a killed worker has begun is
 * found by its idempotency key and waited for. A failed command frees its key.
 * @throws the command's failure; FORBIDDEN; VALIDATION_ERROR; SERVICE_UNAVAILABLE with nothing done
 */
export async function executeCommand(
  call: CommandCall,
  attempt: StepAttempt,
  { database, commands }: StepServices,
): Promise<StepOutcome> {
  const { actor, run, signal, expressions } = attempt;
  const { commandCode } = call;
  authorize(actor, permissionCode.commandExecute(commandCode));
  const idempotencyKey = `automation:${run.pid}:${attempt.idempotencyKey}`;
  const known = await findExecutionOfRun(database, run.pid, idempotencyKey);
  if (known !== null) return { kind: 'done', output: await resultOf(commands, actor, known, signal) };
  const command = actor.metadata.get(COMMAND, commandCode);
  const [operation] = command.operations.length === 1 ? command.operations : [];
  const payload = call.payload && expressions.evaluateAll(call.payload, 'payload');
  const body = {
    operationType: call.operationType ?? operation,
    targetRecordId: call.target === undefined ? undefined : expressions.evaluate(call.target, 'target'),
    payload: payload && requestUnderPresentCodes(command, { payload }, actor.metadata).payload,
  };
  const request = parseCommandRequest(command, actor, body, idempotencyKey);
  const answer = await commands.execute(
    actor,
    { ...command, code: commandCode },
    request,
    run.traceId,
    undefined,
    run.pid,
  );
  const output = answer.kind === 'done' ? answer.result : await resultOf(commands, actor, answer.executionPid, signal);
  return { kind: 'done', output };
}

/** The result of an execution, once it has ended. @throws its failure; an AbortError on the signal */
async function resultOf(commands: CommandsService, actor: Actor, pid: string, signal: AbortSignal): Promise<unknown> {
  for (;;) {
    const { status, result, error } = await commands.find(actor, pid);
    if (status === 'SUCCEEDED') return result;
    if (status === 'FAILED' && error) throw fromStoredError(error);
    if (status === 'CANCELLED') throw conflict('CANCELLED', 'The execution was cancelled');
    await sleep(COMMAND_POLL_MS, undefined, { signal });
  }
}
