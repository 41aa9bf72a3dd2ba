import { newPid } from '../../../foundation/database/pid.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Histogram, Metrics } from '../../../foundation/metrics/metrics.ts';
import type { CommandStarter, StartedExecution } from '../command-starter.ts';
import type { ExecutionNotifier } from '../execution-notifier.ts';
import { LANE } from './groups.limits.ts';
import { FairQueue } from './fair-queue.ts';

interface Waiting {
  readonly execution: StartedExecution;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts the workflows of commands, one start at a time (group commit): on an idle node a command starts at
 * once, by itself; commands that arrive during a start leave together with the next one, without a timer.
 */
export class CommandLane {
  readonly #starter: CommandStarter;
  readonly #notifier: ExecutionNotifier;
  readonly #maxSize: number;
  readonly #sizes: Histogram;
  readonly #waits: Histogram;
  readonly #starts: Histogram;
  readonly #queue = new FairQueue<Waiting>();
  /** Started commands whose end is not known yet. */
  #unfinished = 0;
  #isClosing = false;
  #starting: Promise<void> | null = null;

  /** @param maxSize most commands of a group; 1: each command has a workflow of its own */
  constructor(starter: CommandStarter, notifier: ExecutionNotifier, maxSize: number, metrics: Metrics) {
    this.#starter = starter;
    this.#notifier = notifier;
    this.#maxSize = maxSize;
    this.#sizes = metrics.sizes('command_group_size', 'Commands per started workflow');
    this.#waits = metrics.histogram('command_lane_wait_seconds', 'Time a command waits before its start');
    this.#starts = metrics.histogram('command_start_seconds', 'Time to start a workflow of commands');
    metrics.gauge('command_lane_waiting', 'Commands that wait for their start', [], (gauge) =>
      gauge.set(this.#queue.size),
    );
  }

  /**
   * Resolves when the execution has a workflow.
   * @throws SERVICE_UNAVAILABLE when too many wait, or Temporal does not answer: then it may have one
   */
  async start(execution: StartedExecution): Promise<void> {
    if (this.#maxSize === 1) return void (await this.#starter.start(execution));
    if (this.#queue.size >= LANE.maxWaiting) throw overloaded();
    return new Promise((resolve, reject) => {
      this.#queue.add(execution.tenantId, { execution, since: Date.now(), resolve, reject });
      this.#next();
    });
  }

  /** Starts or refuses what still waits. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#next();
    while (this.#starting) await this.#starting;
  }

  #next(): void {
    // The workers are kept busy by one group; more would only wait there, out of turn.
    const isBusy = this.#unfinished > this.#maxSize && !this.#isClosing;
    if (this.#starting || this.#queue.size === 0 || isBusy) return;
    this.#starting = this.#startGroup().finally(() => {
      this.#starting = null;
      this.#next();
    });
  }

  async #startGroup(): Promise<void> {
    const group: Waiting[] = [];
    for (const one of this.#queue.draw(this.#maxSize, LANE.maxOfOneTenant)) {
      const waitedMs = Date.now() - one.since;
      this.#waits.observe(waitedMs / 1000);
      if (waitedMs > LANE.maxWaitMs) one.reject(overloaded());
      else group.push(one);
    }
    if (group.length === 0) return;
    const releases = group.map(({ execution }) => this.#holdUntilEnd(execution.pid));
    this.#sizes.observe(group.length);
    const end = this.#starts.startTimer();
    try {
      await this.#startOnce(group.map(({ execution }) => execution));
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const release of releases) release();
      for (const { reject } of group) reject(error);
    } finally {
      end();
    }
  }

  async #startOnce(executions: readonly StartedExecution[]): Promise<void> {
    const groupPid = newPid();
    const [first, ...others] = executions;
    if (!first) return;
    const start = () =>
      others.length === 0 ? this.#starter.start(first) : this.#starter.startGroup(groupPid, executions);
    try {
      await start();
    } catch (error) {
      // The repeat has the same id, so it starts nothing twice.
      if (!(await this.#starter.canRepeat(error))) throw error;
      await start();
    }
  }

  /** Counts an execution as unfinished until its end is announced, or it takes long. */
  #holdUntilEnd(executionPid: string): () => void {
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#unfinished -= 1;
      this.#next();
    };
    this.#unfinished += 1;
    void this.#notifier.wait(executionPid, LANE.longMs).then(release);
    return release;
  }
}

function overloaded(): ApplicationError {
  const data = { dependency: 'temporal', reason: 'BUSY' };
  const message = 'Too many commands are waiting; try again';
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, data, retryAfterSeconds: 2 });
}
