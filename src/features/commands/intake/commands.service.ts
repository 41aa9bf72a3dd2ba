import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { TurnBatch } from '../../../foundation/database/turn-batch.ts';
import { ApplicationError, conflict, notFound } from '../../../foundation/errors/application-error.ts';
import { fromStoredError } from '../../../foundation/errors/failure.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { CACHED_TOTAL_SECONDS } from '../../../platform/records/records.limits.ts';
import type { CommandContent } from '../definition/command-content.ts';
import { type CommandRequest, newExecution } from '../request/command-request.ts';
import type { CommandRunner } from '../running/command-runner.ts';
import { ENDED, type ExecutionNotifier, type Outcome } from '../executions/execution-notifier.ts';
import type { CommandDispatcher } from '../starting/command-lane.ts';
import type { WorkflowMode } from '../starting/command-starter.ts';
import {
  withdraw,
  findExecution,
  findByIdempotencyKey,
  insertExecutions,
  type ExecutionRow,
  type NewExecution,
} from '../executions/execution-store.ts';
import type { ExecutionStatus } from '../executions/execution.entity.ts';
import { OUTCOME_LOOK_EVERY_MS } from '../commands.limits.ts';

/** The answer to a caller: the result, or that the command is still running. */
export type CommandOutcome =
  | { readonly kind: 'done'; readonly executionPid: string; readonly result: unknown; readonly replay: Replay | null }
  | { readonly kind: 'accepted'; readonly executionPid: string; readonly status: ExecutionStatus };

/** How a command's definition wants it executed. */
export type ExecutionMode = Pick<CommandContent, 'execution' | 'idempotency'>;

type Mode = NonNullable<CommandContent['execution']>;

/** The result is that of an earlier execution with the same idempotency key. */
export interface Replay {
  /** The earlier request had another body. */
  readonly mismatch: boolean;
}

interface ServiceParts {
  readonly database: Database;
  readonly runner: CommandRunner;
  readonly dispatcher: CommandDispatcher;
  readonly notifier: ExecutionNotifier;
  /** Owner of executions until they have a workflow. */
  readonly nodePid: string;
  readonly config: { readonly commandWaitMs: number; readonly duplicateWaitMs: number };
  readonly logger: Logger;
}

/** Accepts commands and waits for their ends. Spec: "Command rules". */
export class CommandsService {
  readonly #parts: ServiceParts;
  /** Claims idempotency keys and stores inputs. False where another execution holds the key. */
  readonly #intake: TurnBatch<NewExecution, boolean>;
  readonly #starting = new Set<Promise<void>>();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#intake = new TurnBatch((executions) => insertExecutions(parts.database, executions));
  }

  get nodePid(): string {
    return this.#parts.nodePid;
  }

  /**
   * Executes a checked command: claims its key, starts its workflow, and answers when its transaction has
   * committed.
   * @param preferredWaitMs answer 202 after this many milliseconds (`Prefer: wait`); 0: once it is accepted
   * @param runPid the run of an automation that asks for it
   * @throws the command's failure, with `X-Execution-Pid`; CONFLICT (IN_PROGRESS, IDEMPOTENCY_KEY);
   *   SERVICE_UNAVAILABLE with nothing done
   */
  async execute(
    actor: Actor,
    command: ExecutionMode & { readonly code: string },
    request: CommandRequest,
    traceId: string,
    preferredWaitMs?: number,
    runPid: string | null = null,
  ): Promise<CommandOutcome> {
    const execution = { ...newExecution(actor, command.code, request, traceId, runPid), nodePid: this.nodePid };
    const mode = command.execution ?? 'grouped';
    return this.accept(execution, { ...command, execution: mode }, preferredWaitMs, () => this.#intake.do(execution));
  }

  /**
   * Stores an execution by `claim` (false: another one holds its key), and carries it out as `execute` does.
   * @throws as `execute`
   */
  async accept(
    execution: NewExecution,
    { execution: mode, idempotency }: ExecutionMode & { readonly execution: Mode },
    preferredWaitMs: number | undefined,
    claim: () => Promise<boolean>,
  ): Promise<CommandOutcome> {
    const { commandWaitMs, duplicateWaitMs } = this.#parts.config;
    // An inline command has no workflow to continue it, so it is always awaited.
    const waitMs = mode === 'inline' ? commandWaitMs : Math.min(preferredWaitMs ?? commandWaitMs, commandWaitMs);
    for (;;) {
      if (await claim()) return this.#carryOut(execution, mode, waitMs);
      const holder = await findByIdempotencyKey(this.#parts.database, execution);
      if (!holder) continue;
      const mismatch = holder.requestHash !== execution.requestHash;
      if (mismatch && idempotency === 'strict') {
        throw conflict('IDEMPOTENCY_KEY', 'The key was used for another request', { executionPid: holder.pid });
      }
      const outcome = await this.#outcomeOf(
        holder,
        preferredWaitMs === undefined ? duplicateWaitMs : Math.min(waitMs, duplicateWaitMs),
      );
      if (!outcome && preferredWaitMs !== undefined && !mismatch) return accepted(holder.pid, holder.status);
      if (!outcome) {
        throw conflict('IN_PROGRESS', 'The first request with this key is still running', { executionPid: holder.pid });
      }
      // A failure has set the key free: this request is the next to try.
      if (outcome.status !== 'SUCCEEDED') continue;
      return { kind: 'done', executionPid: holder.pid, result: outcome.result, replay: { mismatch } };
    }
  }

  /** @throws NOT_FOUND for an execution of another user, tenant or environment */
  async find(actor: Actor, executionPid: string): Promise<ExecutionRow> {
    const row = await findExecution(this.#parts.database, executionPid);
    const own =
      row?.tenantId === actor.tenantId && row.environment === actor.metadata.environment && row.userId === actor.userId;
    if (!own) throw notFound('There is no such execution');
    return row;
  }

  async #carryOut(execution: NewExecution, mode: Mode, waitMs: number): Promise<CommandOutcome> {
    const { pid: executionPid } = execution;
    try {
      const outcome = await this.#runUntil(execution, mode, waitMs);
      if (!outcome) return accepted(executionPid, 'RECEIVED');
      return { kind: 'done', executionPid, result: resultOf(outcome), replay: null };
    } catch (error) {
      if (error instanceof ApplicationError) error.headers['X-Execution-Pid'] = executionPid;
      throw error;
    }
  }

  async #runUntil(execution: NewExecution, mode: Mode, waitMs: number): Promise<Outcome | null> {
    const { pid: executionPid } = execution;
    const deadline = Date.now() + waitMs;
    const called = this.#parts.notifier.wait(executionPid, Math.min(OUTCOME_LOOK_EVERY_MS, waitMs));
    if (mode === 'inline') await this.#parts.runner.run(executionPid, { accepted: execution }).catch(unlessPassing);
    else await this.#tracked(this.#start(execution, mode));
    if (waitMs === 0) return null;
    const announced = await called;
    if (announced !== null && announced !== ENDED) return announced;
    return this.#lookUntil(executionPid, deadline, announced === ENDED);
  }

  /** Finishes or withdraws what is under way. */
  async close(): Promise<void> {
    await this.#parts.dispatcher.close();
    await Promise.allSettled(this.#starting);
  }

  async #tracked(start: Promise<void>): Promise<void> {
    this.#starting.add(start);
    try {
      await start;
    } finally {
      this.#starting.delete(start);
    }
  }

  /** A command that cannot be begun is withdrawn; a workflow that started after all finds it cancelled. */
  async #start(execution: NewExecution, mode: WorkflowMode): Promise<void> {
    try {
      await this.#parts.dispatcher.start(execution, mode);
    } catch (error) {
      const withdrawn = await withdraw(this.#parts.database, execution.pid, 'CANCELLED', null);
      if (!withdrawn) return;
      this.#parts.logger.warn(
        { err: error, executionPid: execution.pid },
        'a command was withdrawn: it could not be started',
      );
      throw error;
    }
  }

  async #outcomeOf(execution: ExecutionRow, timeoutMs: number): Promise<Outcome | null> {
    const outcome = outcomeIn(execution);
    if (!outcome) return this.#lookUntil(execution.pid, Date.now() + timeoutMs);
    // Whatever was cached before has expired since.
    const isOld = Date.now() - Date.parse(execution.finishedAt ?? '') > CACHED_TOTAL_SECONDS * 1_000;
    if (!isOld) await this.#parts.runner.announceAgain(execution, outcome);
    return outcome;
  }

  /** @param isAnnounced whether cached totals are known to be stale; else they become so before the answer */
  async #lookUntil(executionPid: string, deadline: number, isAnnounced = false): Promise<Outcome | null> {
    for (;;) {
      const left = deadline - Date.now();
      const called = left > 0 ? this.#parts.notifier.wait(executionPid, Math.min(OUTCOME_LOOK_EVERY_MS, left)) : null;
      // The command is accepted: while Postgres is away its outcome is unknown.
      const row = await findExecution(this.#parts.database, executionPid).catch(unlessPassing);
      const outcome = row ? outcomeIn(row) : null;
      if (row && outcome && !isAnnounced) await this.#parts.runner.announceAgain(row, outcome);
      if (outcome || !called) return outcome;
      const announced = await called;
      if (announced !== null && announced !== ENDED) return announced;
      isAnnounced ||= announced === ENDED;
    }
  }
}

function accepted(executionPid: string, status: ExecutionStatus): CommandOutcome {
  return { kind: 'accepted', executionPid, status };
}

/** Swallows a passing fault (the sweeper and the workflow go on with the command); throws everything else. */
function unlessPassing(error: unknown): null {
  if (isTransient(error)) return null;
  throw error;
}

function outcomeIn({ status, result, error }: ExecutionRow): Outcome | null {
  if (status === 'SUCCEEDED') return { status, result };
  return status === 'FAILED' || status === 'CANCELLED' ? { status, error } : null;
}

/** @throws the stored failure */
function resultOf(outcome: Outcome): unknown {
  if (outcome.status === 'SUCCEEDED') return outcome.result;
  if (outcome.error) throw fromStoredError(outcome.error);
  throw new ApplicationError('CONFLICT', { message: 'The execution was cancelled', data: { reason: 'CANCELLED' } });
}
