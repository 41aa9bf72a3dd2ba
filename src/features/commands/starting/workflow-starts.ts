import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { isTransient } from '../../../foundation/database/failures.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';
import type { CommandStarter, StartedExecution, WorkflowMode } from './command-starter.ts';
import { STARTS } from '../commands.limits.ts';
import { startMetrics, type StartMetrics } from './start-metrics.ts';

interface Group {
  /** Null for a command that starts alone, as `command:<pid>`. */
  readonly pid: string | null;
  readonly executions: StartedExecution[];
}

/**
 * Starts the workflows of commands that this process carries out already. No caller waits for them, so they
 * may come together in groups, and later, once Temporal is back.
 */
export class WorkflowStarts {
  readonly #starter: CommandStarter;
  readonly #maxSize: number;
  readonly #metrics: StartMetrics;
  readonly #logger: Logger;
  readonly #singles = pLimit(STARTS.singlesAtOnce);
  /** In their order; the last one takes what arrives. */
  readonly #groups: Group[] = [];
  #grouping: Promise<void> | null = null;
  readonly #alone = new Set<Promise<void>>();
  #waiting = 0;
  #isClosing = false;

  /** @param maxSize most commands of a workflow; 1: each has its own */
  constructor(starter: CommandStarter, maxSize: number, metrics: Metrics, logger: Logger) {
    this.#starter = starter;
    this.#maxSize = maxSize;
    this.#metrics = startMetrics(metrics);
    this.#logger = logger;
  }

  /** Whether it can take more. It cannot after Temporal has been away for long. */
  get hasRoom(): boolean {
    return this.#waiting < STARTS.maxWaiting;
  }

  /**
   * Has the workflow of a command started.
   * @returns the pid of its group; null if its workflow is `command:<pid>`
   */
  add(
    { pid, tenantId, environment, commandCode, traceId, operation }: StartedExecution,
    mode: WorkflowMode,
  ): string | null {
    // The payload is not kept: Temporal may be away for long.
    const execution = { pid, tenantId, environment, commandCode, traceId, operation };
    this.#waiting += 1;
    if (mode !== 'grouped' || this.#maxSize === 1) return this.#startAlone(execution);
    if (!this.#grouping) {
      this.#groups.push({ pid: null, executions: [execution] });
      this.#grouping = this.#startGroups().finally(() => (this.#grouping = null));
      return null;
    }
    let last = this.#groups.at(-1);
    if (!last?.pid || last.executions.length >= this.#maxSize)
      this.#groups.push((last = { pid: newPid(), executions: [] }));
    last.executions.push(execution);
    return last.pid;
  }

  /** Resolves when all have started that can be. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#grouping;
    await Promise.all(this.#alone);
  }

  #startAlone(execution: StartedExecution): null {
    const start = this.#singles(() => this.#start({ pid: null, executions: [execution] }));
    this.#alone.add(start);
    void start.finally(() => this.#alone.delete(start));
    return null;
  }

  async #startGroups(): Promise<void> {
    for (let group = this.#groups.shift(); group; group = this.#groups.shift()) {
      await this.#start(group);
      // What arrives meanwhile shares a workflow, whose cost is that of several commands.
      const isNextFull = (this.#groups[0]?.executions.length ?? 0) >= this.#maxSize;
      if (!isNextFull && !this.#isClosing) await sleep(STARTS.everyMs);
    }
  }

  async #start({ pid, executions }: Group): Promise<void> {
    const [first] = executions;
    if (!first) return;
    this.#metrics.sizes.observe(executions.length);
    const start = () => (pid ? this.#starter.startGroup(pid, executions) : this.#starter.start(first));
    for (let isOver = false; !isOver;) {
      const end = this.#metrics.starts.startTimer();
      isOver = await start().then(
        () => true,
        (error: unknown) => this.#isGivenUp(error, executions),
      );
      end();
      if (!isOver) await sleep(STARTS.retryMs);
    }
    this.#waiting -= executions.length;
  }

  #isGivenUp(err: unknown, executions: readonly StartedExecution[]): boolean {
    if (isTransient(err) && !this.#isClosing) return false;
    const executionPids = executions.map((execution) => execution.pid);
    this.#logger.warn({ err, executionPids }, 'commands have no workflow: it could not be started');
    return true;
  }
}
