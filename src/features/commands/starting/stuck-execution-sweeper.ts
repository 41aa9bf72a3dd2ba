import { WorkflowNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import type { Database } from '../../../foundation/database/pool.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import { commandWorkflowId } from '../../../../workflows/contracts.ts';
import type { CommandStarter } from './command-starter.ts';
import {
  withdraw,
  findOverdue,
  markRunning,
  nodesWithWaiting,
  type ExecutionRow,
} from '../executions/execution-store.ts';
import type { NodePresence } from '../executions/node-presence.ts';
import { OVERDUE, SWEEP_BATCH, SWEEP_EVERY_MS, SWEEP_STARTS } from '../commands.limits.ts';

/**
 * Starts the workflows of accepted executions that have none: the node that accepted them died before it
 * could. Runs in every worker; starting twice is refused by Temporal, so sweepers need no agreement.
 */
export class StuckExecutionSweeper {
  readonly #database: Database;
  readonly #starter: CommandStarter;
  readonly #temporal: TemporalGateway;
  readonly #presence: NodePresence;
  readonly #logger: Logger;
  readonly #limit = pLimit(SWEEP_STARTS);
  readonly #loop = new PollingLoop(SWEEP_EVERY_MS, () => this.sweep());

  constructor(
    database: Database,
    starter: CommandStarter,
    temporal: TemporalGateway,
    presence: NodePresence,
    logger: Logger,
  ) {
    this.#presence = presence;
    this.#database = database;
    this.#starter = starter;
    this.#temporal = temporal;
    this.#logger = logger;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /** One round. Never throws: what fails now is found again by the next round. */
  async sweep(): Promise<void> {
    try {
      const dead = await this.#presence.deadAmong(await nodesWithWaiting(this.#database, OVERDUE.abandonedMs));
      const overdue = await findOverdue(this.#database, OVERDUE, dead, SWEEP_BATCH);
      await Promise.all(overdue.map((execution) => this.#limit(() => this.#reviveOne(execution))));
    } catch (error) {
      this.#logger.debug({ err: error }, 'a sweep was cut short');
    }
  }

  /**
   * @throws SERVICE_UNAVAILABLE: the others could not be helped either. Anything else concerns this execution
   * alone.
   */
  async #reviveOne(execution: ExecutionRow): Promise<void> {
    try {
      await this.#revive(execution);
    } catch (error) {
      if (error instanceof ApplicationError && error.code === 'SERVICE_UNAVAILABLE') throw error;
      this.#logger.warn({ err: error, executionPid: execution.pid }, 'an overdue command could not be looked after');
    }
  }

  async #revive(execution: ExecutionRow): Promise<void> {
    const { pid, traceId, status } = execution;
    if (status === 'RECEIVED') {
      const isStarted = await this.#starter.start(execution);
      // Asked for once: under load many commands wait for longer than this, and all of them have their
      // workflows.
      await markRunning(this.#database, pid);
      if (isStarted) {
        this.#logger.info({ executionPid: pid, traceId }, 'started an accepted command that had no workflow');
        return;
      }
    }
    if (Date.now() - Date.parse(execution.createdAt) < OVERDUE.endMs) return;
    const workflow = await this.#workflowStatus(pid);
    if (workflow === 'RUNNING') return;
    if (workflow === null) {
      // Temporal has lost its data. What was accepted is executed.
      await this.#starter.start(execution);
      this.#logger.warn({ executionPid: pid, traceId }, 'the workflow of an execution was lost; it is started again');
      return;
    }
    // An operator terminated the workflow, or it failed in a way that could not be written down.
    const error = new ApplicationError('INTERNAL_ERROR', { message: 'The workflow ended early', data: { traceId } });
    if (await withdraw(this.#database, pid, 'FAILED', toStoredError(error))) {
      this.#logger.warn({ executionPid: pid, traceId }, 'the workflow of an execution ended without an outcome');
    }
  }

  /** @returns null if Temporal has no such workflow */
  async #workflowStatus(pid: string): Promise<string | null> {
    try {
      const { status } = await this.#temporal.describe(commandWorkflowId(pid));
      return status.name;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  }
}
