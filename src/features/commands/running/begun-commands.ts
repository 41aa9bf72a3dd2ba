import { LRUCache } from 'lru-cache';
import type pLimit from 'p-limit';
import type { ConnectionTurns } from '../../../foundation/database/connection-turns.ts';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';
import { BATCH } from '../executions/execution.entity.ts';
import type { NewExecution } from '../executions/execution-store.ts';
import type { CommandDispatcher } from '../starting/command-lane.ts';
import type { CommandStarter, WorkflowMode } from '../starting/command-starter.ts';
import { tooManyCommands, WaitingCommands, type WaitingCommand } from '../starting/waiting-commands.ts';
import { WorkflowStarts } from '../starting/workflow-starts.ts';
import { BEGUN, BUSY_STATEMENT_TIMEOUT_MS, GROUP_STATEMENT_TIMEOUT_MS } from '../commands.limits.ts';
import type { CommandRunner } from './command-runner.ts';

interface Parts {
  readonly database: Database;
  readonly runner: CommandRunner;
  readonly starter: CommandStarter;
  /** Connections that commands may use at once, so that they leave some to requests. */
  readonly connections: ReturnType<typeof pLimit>;
  readonly config: { readonly commandGroupMax: number; readonly commandQueueMax: number };
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * The commands that this process carries out as soon as it has accepted them. Their workflows start
 * meanwhile, and find here how they end.
 */
export class BegunCommands implements CommandDispatcher {
  readonly #parts: Parts;
  readonly #starts: WorkflowStarts;
  /** What waits for a connection. */
  readonly #waiting: WaitingCommands;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #ended = new LRUCache<string, Promise<void>>({ max: BEGUN.keptEnds });
  #takers = 0;

  constructor(parts: Parts) {
    const { starter, config, metrics, logger } = parts;
    this.#parts = parts;
    this.#waiting = new WaitingCommands(config.commandQueueMax, metrics);
    this.#starts = new WorkflowStarts(starter, config.commandGroupMax, metrics, logger);
  }

  /**
   * Resolves when an accepted command has begun; a batch, when its workflow has started.
   * @throws SERVICE_UNAVAILABLE when too much waits
   */
  async start(execution: NewExecution, mode: WorkflowMode): Promise<void> {
    if (execution.operation === BATCH) return void (await this.#parts.starter.start(execution));
    if (!this.#starts.hasRoom) throw tooManyCommands();
    const begun = this.#waiting.add(execution, mode);
    this.#takeMore();
    return begun;
  }

  /** How a command ends that this process has begun; undefined for one that it has not. */
  endOf(executionPid: string): Promise<void> | undefined {
    const end = this.#underWay.get(executionPid) ?? this.#ended.get(executionPid);
    this.#ended.delete(executionPid);
    return end;
  }

  /** Resolves when all has ended and has its workflow, as far as Temporal answers. */
  async close(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay.values());
    await this.#starts.close();
  }

  #takeMore(): void {
    const { connections } = this.#parts;
    if (this.#waiting.size === 0 || this.#takers >= connections.concurrency) return;
    this.#takers += 1;
    void connections(() => this.#takeTurns()).finally(() => {
      this.#takers -= 1;
      this.#takeMore();
    });
  }

  /** Carries out what waits, on one connection, until others are to have it. */
  async #takeTurns(): Promise<void> {
    const turns = this.#parts.database.turns();
    await turns.forEach(this.#next(), (waiting) => this.#run(waiting, turns));
  }

  get #statementTimeoutMs(): number {
    return this.#waiting.size > 0 ? BUSY_STATEMENT_TIMEOUT_MS : GROUP_STATEMENT_TIMEOUT_MS;
  }

  *#next(): Generator<WaitingCommand> {
    for (let taken = 0; taken < BEGUN.turnsInARow && this.#waiting.size > 0; taken += 1)
      yield* this.#waiting.take(1, 1);
  }

  async #run({ execution, mode, resolve }: WaitingCommand, turns: ConnectionTurns): Promise<void> {
    const { pid } = execution;
    const groupPid = this.#starts.add(execution, mode);
    const end = this.#parts.runner.run(pid, {
      accepted: execution,
      turns,
      ...(groupPid !== null && { groupPid }),
      ...(mode === 'grouped' && { statementTimeoutMs: this.#statementTimeoutMs }),
    });
    this.#underWay.set(pid, end);
    resolve();
    await end.then(
      () => this.#ended.set(pid, end),
      // A transient fault is no end: the workflow tries again.
      (error: unknown) => (isTransient(error) ? undefined : this.#ended.set(pid, end)),
    );
    this.#underWay.delete(pid);
  }
}
