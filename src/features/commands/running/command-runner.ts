import { toLoggedChanges } from '../../../platform/events/changes/record-events.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { actorOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { isOutdated, isTransient } from '../../../foundation/database/failures.ts';
import type { ConnectionTurns } from '../../../foundation/database/connection-turns.ts';
import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { ApplicationError, conflict, notFound } from '../../../foundation/errors/application-error.ts';
import { isTooLarge, tooLargeToWrite } from '../../../foundation/errors/too-large.ts';
import { fromStoredError, toStoredError } from '../../../foundation/errors/failure.ts';
import { endlessError, type RepeatedStarts } from '../../../foundation/jobs/repeated-starts.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { Counter, Metrics } from '../../../foundation/metrics/metrics.ts';
import { RecordWriter } from '../../../platform/records/writing/record-writer.ts';
import type { TotalsCache } from '../../../platform/records/totals-cache.ts';
import { applyItems, endAtomicBatch, FailedItem } from './atomic-batch.ts';
import { BATCH } from '../executions/execution.entity.ts';
import type { ExecutionNotifier, Outcome } from '../executions/execution-notifier.ts';
import { OVERDUE } from '../commands.limits.ts';
import {
  isUnfinished,
  lockExecution,
  lockUnfinished,
  withdraw,
  type NewExecution,
  type ExecutionRow,
} from '../executions/execution-store.ts';
import { finish } from '../executions/finished-command.ts';
import { commandIn, performCommand, type CommandEffect } from '../performing/perform-command.ts';
import type { PlatformCommands, RecordCommand } from '../request/platform-command.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { keeperOf } from '../../../platform/records/query/expansion.ts';
import { modelsReachedFrom } from '../../../platform/records/writing/record-deletion.ts';
import { COMMAND, modelsOf } from '../definition/command-type.ts';

/** How an execution is run. */
export interface RunOptions {
  readonly groupPid?: string;
  /** The time limit of each statement of the transaction; by default that of the connection. */
  readonly statementTimeoutMs?: number;
  /** For a batch or one of its items, which are run by no other. */
  readonly isOfBatch?: boolean;
  /** Whether it may have been started before; by default its age decides. */
  readonly isRepeated?: boolean;
  /**
   * What it was accepted with, where that is at hand: its first statement then travels with that which locks
   * the execution. Only for one that has not been started before.
   */
  readonly accepted?: NewExecution;
  /** Whether it runs again because the configuration was an old one. */
  readonly isRenewed?: boolean;
  /** The connection of its transaction, when it is its turn; by default any one that is free. */
  readonly turns?: ConnectionTurns;
}

interface RunnerParts {
  readonly database: Database;
  readonly orm: PlatformOrm;
  readonly platformCommands: PlatformCommands;
  readonly snapshots: SnapshotCache;
  readonly totals: TotalsCache;
  readonly notifier: ExecutionNotifier;
  readonly starts: RepeatedStarts;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Applies accepted commands: once each, in one transaction each, however often it is asked to. */
export class CommandRunner {
  readonly #parts: RunnerParts;
  readonly #executions: Counter<'command' | 'outcome'>;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const labels = ['command', 'outcome'] as const;
    this.#executions = parts.metrics.counter('command_executions_total', 'Commands by their outcome', labels);
  }

  /**
   * Runs an execution to its end and publishes the outcome. Ended executions are left as they are.
   * @throws the command's failure (a code of the catalogue; final), or a passing fault (to be retried)
   */
  async run(executionPid: string, options: RunOptions = {}): Promise<void> {
    const { groupPid = null, statementTimeoutMs, accepted, turns } = options;
    const seen: Seen = {};
    try {
      const applied = await this.#parts.database.transaction(async (transaction) => {
        if (accepted && this.#isOfConfiguration(accepted)) {
          return this.#applyAccepted(transaction, accepted, options, seen);
        }
        const execution = await lockExecution(transaction, executionPid, statementTimeoutMs);
        // An item is done with its batch, whatever a workflow names that was started by hand.
        if (!execution || (execution.batchPid !== null && !options.isOfBatch))
          throw notFound('There is no such execution');
        seen.execution = execution;
        seen.isRepeated = isUnfinished(execution) && (options.isRepeated ?? isOverdue(execution));
        if (seen.isRepeated && (await this.#parts.starts.isExhausted(executionPid)))
          throw endlessError(execution.traceId);
        // A platform command takes another transaction; this one has only found out that it is one.
        const platform = this.#parts.platformCommands.get(execution.commandCode);
        if (platform && 'perform' in platform) return null;
        return withLogContext(execution, () => this.#apply(transaction, execution, groupPid, platform));
      }, turns);
      if (!applied) return await this.#runPlatform(seen.execution as NewExecution);
      await this.#announce(applied.execution, { status: 'SUCCEEDED', result: applied.result }, applied.models);
    } catch (error) {
      if (error instanceof EndedMeanwhile) return await this.run(executionPid, { ...options, accepted: undefined });
      if (seen.execution && isOutdated(error) && !options.isRenewed) {
        // A publish has renamed what it writes.
        await this.#parts.snapshots.refresh(seen.execution.environment);
        return await this.run(executionPid, { ...options, accepted: undefined, isRenewed: true });
      }
      if (seen.execution && !isTransient(error)) throw await this.#endWithFailure(seen.execution, error, groupPid);
      this.#executions.inc({ command: seen.execution?.commandCode ?? 'unknown', outcome: 'put_off' });
      this.#parts.logger.warn({ err: error, executionPid }, 'a command could not be applied now');
      throw error;
    } finally {
      if (seen.isRepeated) await this.#parts.starts.forget([executionPid]);
    }
  }

  /** Whether it is one command, and none of the platform's. */
  #isOfConfiguration({ commandCode, operation }: NewExecution): boolean {
    return operation !== BATCH && !this.#parts.platformCommands.get(commandCode);
  }

  /** @throws EndedMeanwhile for one that has ended, or is gone: nothing is done then */
  async #applyAccepted(
    transaction: Transaction,
    execution: NewExecution,
    { groupPid, statementTimeoutMs }: RunOptions,
    seen: Seen,
  ): Promise<Applied> {
    seen.execution = execution;
    const metadata = await this.#parts.snapshots.at(execution.environment, String(execution.metadataVersion));
    const [actor, command] = [actorOf(execution, metadata), commandIn(execution, metadata)];
    const [locked, performed] = await Promise.allSettled([
      lockUnfinished(transaction, execution.pid, statementTimeoutMs),
      withLogContext(execution, () => performCommand(transaction, actor, command)),
    ]);
    if (!valueOf(locked)) throw new EndedMeanwhile();
    return this.#conclude(transaction, execution, valueOf(performed), groupPid ?? null);
  }

  async #conclude(
    transaction: Transaction,
    execution: NewExecution,
    effect: CommandEffect,
    groupPid: string | null,
  ): Promise<Applied> {
    await transaction.conclude(finish(transaction, execution.pid, effect, groupPid));
    return { execution, result: effect.result, models: new Set(effect.changes.map(({ modelCode }) => modelCode)) };
  }

  async #apply(
    transaction: Transaction,
    execution: ExecutionRow,
    groupPid: string | null,
    platform?: RecordCommand,
  ): Promise<Applied> {
    const metadata = await this.#parts.snapshots.at(execution.environment, String(execution.metadataVersion));
    const ended = endedBefore(execution);
    if (ended) return { execution, result: ended.result, models: modelsOfCommand(execution, metadata) };
    if (platform) return this.#applyToRecord(transaction, execution, platform, actorOf(execution, metadata), groupPid);
    const actor = actorOf(execution, metadata);
    if (execution.operation === BATCH) {
      return { execution, result: null, models: await applyItems(transaction, actor, execution.pid) };
    }
    const effect = await performCommand(transaction, actor, commandIn(execution, metadata));
    return this.#conclude(transaction, execution, effect, groupPid);
  }

  async #applyToRecord(
    transaction: Transaction,
    execution: ExecutionRow,
    platform: RecordCommand,
    actor: Actor,
    groupPid: string | null,
  ): Promise<Applied> {
    const { pid, commandCode, payload } = execution;
    const writer = new RecordWriter(transaction, actor);
    const { model, record, result } = await platform.write(writer, actor, payload, transaction);
    const { code: modelCode } = model;
    const recordPid = String(record.pid);
    const body = JSON.stringify({ commandCode, modelCode, payload, result: { pid: recordPid } });
    // No part of the body is a record, so `record.*` events take what the change log says.
    const event = { pid: newPid(), eventType: commandCode, modelCode, recordPid, body, origins: { result: {} } };
    const { changes: written } = writer;
    const changes = toLoggedChanges(written, null, {});
    await transaction.conclude(finish(transaction, pid, { result, changes, event }, groupPid));
    return { execution, result, models: new Set([modelCode, ...written.map((change) => change.modelCode)]) };
  }

  async #runPlatform(accepted: NewExecution): Promise<void> {
    const { pid, commandCode: code } = accepted;
    const command = this.#parts.platformCommands.get(code);
    if (!command || !('perform' in command)) throw notFound('There is no such command');
    await withLogContext(accepted, async () => {
      const applied = await this.#parts.orm.em.fork().transactional(async (em) => {
        const runner = sqlRunnerOf(em);
        const execution = await lockExecution(runner, pid);
        if (!execution) throw notFound('There is no such execution');
        const ended = endedBefore(execution);
        if (ended) return { execution, result: ended.result };
        const result = await command.perform(em, execution);
        const { payload } = execution;
        const body = JSON.stringify({ commandCode: code, modelCode: null, payload, result });
        const event = { pid: newPid(), eventType: code, modelCode: '', recordPid: null, body };
        await finish(runner, pid, { result, changes: [], event }, null);
        return { execution, result };
      });
      await command.announce(applied.execution);
      await this.#announce(applied.execution, { status: 'SUCCEEDED', result: applied.result });
    });
  }

  /** Publishes the outcome: stale totals first, then the waiting requests of all nodes. */
  async #announce(execution: NewExecution, outcome: Outcome, models: Iterable<string> = []): Promise<void> {
    const { pid, environment, tenantId, commandCode: command } = execution;
    this.#executions.inc({ command, outcome: outcomeLabel(outcome) });
    await this.#parts.notifier.publish(pid, outcome, this.#parts.totals.stampCommands(environment, tenantId, models));
  }

  /** Publishes an outcome found in the row: the process that wrote it may have died. */
  async announceAgain(execution: Omit<ExecutionRow, 'result'>, outcome: Outcome): Promise<void> {
    if (outcome.status !== 'SUCCEEDED') return;
    const { pid, environment, tenantId, metadataVersion, commandCode } = execution;
    const platform = this.#parts.platformCommands.get(commandCode);
    if (platform && 'announce' in platform) await platform.announce(execution);
    const metadata = await this.#parts.snapshots.at(environment, String(metadataVersion));
    const models = modelsOfCommand(execution, metadata);
    await this.#parts.notifier.publish(pid, outcome, this.#parts.totals.stampCommands(environment, tenantId, models));
  }

  async #endWithFailure(execution: NewExecution, thrown: unknown, groupPid: string | null): Promise<ApplicationError> {
    const { pid } = execution;
    let error: ApplicationError;
    if (thrown instanceof FailedItem) {
      error = await endAtomicBatch(this.#parts.database, pid, thrown, this.#failureOf(execution, thrown.cause));
    } else {
      error = this.#failureOf(execution, thrown);
      await withdraw(this.#parts.database, pid, 'FAILED', toStoredError(error), groupPid);
    }
    await this.#announce(execution, { status: 'FAILED', error: toStoredError(error) });
    return error;
  }

  #failureOf({ pid, traceId }: NewExecution, thrown: unknown): ApplicationError {
    if (isTooLarge(thrown)) return tooLargeToWrite();
    if (thrown instanceof ApplicationError) return thrown;
    this.#parts.logger.error({ err: thrown, traceId, executionPid: pid }, 'a command failed for an unknown reason');
    return new ApplicationError('INTERNAL_ERROR', { data: { traceId }, cause: thrown });
  }
}

/**
 * Whether an execution may have been begun before: a sweeper has started it, or its acceptance is long ago.
 */
function isOverdue({ status, createdAt }: ExecutionRow): boolean {
  return status === 'RUNNING' || Date.now() - Date.parse(createdAt) > OVERDUE.startMs;
}

/**
 * The result of an execution that had succeeded before; null for one that is still to be done. @throws its
 * failure
 */
function endedBefore({ status, result, error }: ExecutionRow): { readonly result: unknown } | null {
  if (status === 'FAILED' && error) throw fromStoredError(error);
  if (status === 'CANCELLED') throw conflict('CANCELLED', 'The execution was cancelled before it ran');
  return status === 'SUCCEEDED' ? { result } : null;
}

/** What a run knows of its execution. */
interface Seen {
  execution?: NewExecution;
  isRepeated?: boolean;
}

/** An execution that was to be carried out has ended: what was done on its behalf has to be undone. */
class EndedMeanwhile extends Error {}

/** @throws the reason of a promise that was rejected */
function valueOf<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

interface Applied {
  readonly execution: NewExecution;
  readonly result: unknown;
  /** The codes of the models whose records changed. */
  readonly models: ReadonlySet<string>;
}

/** `refused`: the request was at fault; `failed`: the program was. */
function outcomeLabel(outcome: Outcome): string {
  if (outcome.status === 'SUCCEEDED') return 'succeeded';
  return outcome.error && outcome.error.code !== 'INTERNAL_ERROR' ? 'refused' : 'failed';
}

/** The models whose records a command may have changed. It may have left the configuration since. */
function modelsOfCommand({ commandCode, payload }: NewExecution, metadata: Snapshot): ReadonlySet<string> {
  const command = metadata.find(COMMAND, commandCode);
  if (command) return modelsReachedFrom(modelsOf(command), metadata);
  // A command of the platform names the model, and the relation.
  const { modelCode, name } = payload;
  const model = typeof modelCode === 'string' ? metadata.models.get(modelCode) : undefined;
  if (!model) return new Set();
  return modelsReachedFrom(typeof name === 'string' ? [model.code, keeperOf(model, name)] : [model.code], metadata);
}
