import { setTimeout as sleep } from 'node:timers/promises';
import { authorise, type Actor } from '../auth/actor.ts';
import { parseCommandRequest } from '../commands/command-request.ts';
import type { CommandsService } from '../commands/commands.service.ts';
import type { Database } from '../database/pool.ts';
import { conflict, type ApplicationError } from '../errors/application-error.ts';
import { fromStoredError } from '../errors/failure.ts';
import type { CommandCallContent } from '../metadata/automation-content.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import { evaluate, evaluateMapping } from './run-context.ts';
import type { ExpressionContext } from '../expressions/language.ts';
import type { RunRow } from './run-store.ts';

const LOOK_EVERY_MS = 500;

/**
 * Runs commands for steps, each once: the execution that a killed worker had asked for is found by its idempotency key,
 * and only waited for.
 */
export class CommandEffect {
  readonly #database: Database;
  readonly #commands: CommandsService;

  constructor(database: Database, commands: CommandsService) {
    this.#database = database;
    this.#commands = commands;
  }

  /**
   * @param key names the step in the run; the same key is executed once, unless it failed
   * @returns the command's result
   * @throws the command's failure; FORBIDDEN; VALIDATION_ERROR; SERVICE_UNAVAILABLE with nothing done
   */
  async run(
    call: CommandCallContent,
    context: ExpressionContext,
    actor: Actor,
    run: RunRow,
    key: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { commandCode } = call;
    authorise(actor, permissionCode.commandExecute(commandCode));
    const idempotencyKey = `automation:${run.pid}:${key}`;
    const known = await this.#find(run.pid, idempotencyKey);
    if (known !== null) return this.#outcome(actor, known, signal);
    const command = actor.metadata.command(commandCode);
    const model = actor.metadata.model(command.modelCode);
    const target = call.target === undefined ? undefined : evaluate(call.target, context, `${key}.target`);
    const only = command.operations.length === 1 ? command.operations[0] : undefined;
    const operationType = call.operationType ?? only;
    const body = {
      ...(operationType !== undefined && { operationType }),
      ...(target !== undefined && { targetRecordId: target }),
      ...(call.payload !== undefined && { payload: evaluateMapping(call.payload, context, `${key}.payload`) }),
    };
    const request = parseCommandRequest(command, model, actor.permissions, body, idempotencyKey);
    const defined = { ...command, code: commandCode };
    const answer = await this.#commands.execute(actor, defined, request, run.trace_id, undefined, run.pid);
    return answer.kind === 'done' ? answer.result : this.#outcome(actor, answer.executionPid, signal);
  }

  async #find(runPid: string, key: string): Promise<string | null> {
    const [row] = await this.#database.query<{ pid: string }>(
      'select pid from platform.command_execution where run_pid = $1 and idempotency_key = $2',
      [runPid, key],
    );
    return row?.pid ?? null;
  }

  /** Waits until the execution has ended, or the attempt may take no longer. */
  async #outcome(actor: Actor, executionPid: string, signal: AbortSignal): Promise<unknown> {
    for (;;) {
      const { status, result, error } = await this.#commands.find(actor, executionPid);
      if (status === 'SUCCEEDED') return result;
      if (status === 'FAILED' && error) throw fromStoredError(error);
      if (status === 'CANCELLED') throw cancelled();
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  }
}

function cancelled(): ApplicationError {
  return conflict('CANCELLED', 'The execution was cancelled');
}
