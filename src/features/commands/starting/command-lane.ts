import { newPid } from '../../../foundation/database/pid.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';
import type { CommandStarter, WorkflowMode } from './command-starter.ts';
import type { ExecutionNotifier } from '../executions/execution-notifier.ts';
import type { NewExecution } from '../executions/execution-store.ts';
import { LANE } from '../commands.limits.ts';
import { startMetrics, type StartMetrics } from './start-metrics.ts';
import { WaitingCommands } from './waiting-commands.ts';

/** Has accepted commands carried out. */
export interface CommandDispatcher {
  /**
   * Resolves when the command has a worker.
   * @throws SERVICE_UNAVAILABLE when it has none, or may have none
   */
  start(execution: NewExecution, mode: WorkflowMode): Promise<void>;
  /** Finishes what is under way. */
  close(): Promise<void>;
}

interface Parts {
  readonly starter: CommandStarter;
  readonly notifier: ExecutionNotifier;
  readonly config: { readonly commandGroupMax: number; readonly commandQueueMax: number };
  /** Whether a failed start can be repeated at once, under the same id. */
  readonly canRepeat: (error: unknown) => Promise<boolean>;
  readonly metrics: Metrics;
}

/**
 * For a process without a worker: starts workflows, one group at a time (group commit), for another process
 * to carry out. On an idle node a command starts at once, by itself; what arrives meanwhile leaves together
 * with the next group. The more waits, the larger a group is, and the less a workflow costs each command.
 */
export class CommandLane implements CommandDispatcher {
  readonly #parts: Parts;
  readonly #maxOfGroup: number;
  readonly #metrics: StartMetrics;
  readonly #waiting: WaitingCommands;
  /** Started commands whose end is not announced yet. */
  readonly #unfinished = new Set<NewExecution>();
  #isClosing = false;
  #starting: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#maxOfGroup = Math.min(parts.config.commandGroupMax, LANE.maxOfGroup);
    this.#metrics = startMetrics(parts.metrics);
    this.#waiting = new WaitingCommands(parts.config.commandQueueMax, parts.metrics);
  }

  async start(execution: NewExecution, mode: WorkflowMode): Promise<void> {
    if (mode !== 'grouped' || this.#maxOfGroup === 1) return void (await this.#parts.starter.start(execution));
    const started = this.#waiting.add(execution, mode);
    this.#next();
    return started;
  }

  /** Starts or refuses what still waits. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#next();
    while (this.#starting) await this.#starting;
  }

  #next(): void {
    // The workers are kept busy by one group; more would only wait there, out of turn.
    const isBusy = this.#unfinished.size > this.#maxOfGroup;
    if (this.#starting || this.#waiting.size === 0 || (isBusy && !this.#isClosing)) return;
    this.#starting = this.#startGroup().finally(() => {
      this.#starting = null;
      this.#next();
    });
  }

  async #startGroup(): Promise<void> {
    const group = this.#waiting.take(this.#maxOfGroup, LANE.maxOfOneTenant);
    if (group.length === 0) return;
    const executions = group.map(({ execution }) => execution);
    const releases = executions.map((execution) => this.#countUntilEnd(execution));
    this.#metrics.sizes.observe(group.length);
    const end = this.#metrics.starts.startTimer();
    try {
      await this.#startOnce(executions);
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const release of releases) release();
      for (const { reject } of group) reject(error);
    } finally {
      end();
    }
  }

  async #startOnce(executions: readonly NewExecution[]): Promise<void> {
    const { starter, canRepeat } = this.#parts;
    const groupPid = newPid();
    const [first, ...others] = executions;
    if (!first) return;
    const start = () => (others.length === 0 ? starter.start(first) : starter.startGroup(groupPid, executions));
    try {
      await start();
    } catch (error) {
      // The repeat has the same id, so it starts nothing twice.
      if (!(await canRepeat(error))) throw error;
      await start();
    }
  }

  /** Counts a command as unfinished until it has ended, or the returned function is called. */
  #countUntilEnd(execution: NewExecution): () => void {
    this.#unfinished.add(execution);
    const release = (): void => {
      if (this.#unfinished.delete(execution)) this.#next();
    };
    void this.#parts.notifier.wait(execution.pid, LANE.longMs).then(release);
    return release;
  }
}
