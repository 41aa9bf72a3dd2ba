import type pLimit from 'p-limit';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import type { RepeatedStarts } from '../../../foundation/jobs/repeated-starts.ts';
import type { CommandRunner, RunOptions } from './command-runner.ts';
import type { CommandStarter } from '../starting/command-starter.ts';
import { findExecution, findExecutions, isUnfinished, type ExecutionRow } from '../executions/execution-store.ts';
import { GROUP_STATEMENT_TIMEOUT_MS } from '../commands.limits.ts';
import type { BegunCommands } from './begun-commands.ts';

interface Group {
  readonly groupPid: string;
  readonly executionPids: readonly string[];
  /** Whether a worker may have begun it before. */
  readonly isRepeated: boolean;
}

type Apply = (executionPid: string, how: RunOptions) => Promise<void>;

interface Parts {
  readonly database: Database;
  readonly runner: CommandRunner;
  readonly starter: CommandStarter;
  readonly starts: RepeatedStarts;
  /** Null in a process that accepts none itself. */
  readonly begun: BegunCommands | null;
  /** Connections that commands may use at once, so that they leave some to requests. */
  readonly connections: ReturnType<typeof pLimit>;
  /** Connections of commands that run alone: many of them take long. */
  readonly connectionsOfLong: ReturnType<typeof pLimit>;
}

/** The worker's part of commands: each has its own transaction and outcome. */
export class CommandWorker {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Carries out one command to its end, unless this process has begun it already.
   * @throws as `CommandRunner.run`
   */
  async run(executionPid: string, options: RunOptions): Promise<void> {
    const { begun, runner, connectionsOfLong } = this.#parts;
    await (begun?.endOf(executionPid) ?? connectionsOfLong(() => runner.run(executionPid, options)));
  }

  /**
   * Carries out the commands of a group side by side.
   * @returns the executions that a transient fault has put off
   * @throws a transient fault: what is left of the group cannot be read
   */
  async runGroup({ groupPid, executionPids, isRepeated }: Group): Promise<{ again: readonly string[] }> {
    const again: string[] = [];
    const settle = async (pid: string, end: Promise<void>): Promise<void> => {
      // Any other error has ended the execution, whose row has it.
      await end.catch((error: unknown) => void (isTransient(error) && again.push(pid)));
    };
    const apply = (pid: string, how: RunOptions): Promise<void> => {
      const options = { groupPid, statementTimeoutMs: GROUP_STATEMENT_TIMEOUT_MS, isRepeated, ...how };
      return settle(pid, this.#parts.runner.run(pid, options));
    };
    const ends = executionPids.map((pid) => ({ pid, end: this.#parts.begun?.endOf(pid) }));
    const others = ends.filter(({ end }) => !end).map(({ pid }) => pid);
    await Promise.all([
      ...ends.map(({ pid, end }) => end && settle(pid, end)),
      others.length > 0 && this.#applyRows(others, isRepeated, apply),
    ]);
    return { again };
  }

  /** Does what another process has accepted, or has left. */
  async #applyRows(executionPids: readonly string[], isRepeated: boolean, apply: Apply): Promise<void> {
    const executions = await findExecutions(this.#parts.database, executionPids);
    if (isRepeated) await this.#announceAgain(executions);
    // An item is done with its batch.
    const left = executions.filter((one) => isUnfinished(one) && one.batchPid === null);
    // One of them may end the process: alone, it is the only one that is counted as begun.
    const isAlone = isRepeated && (await this.#parts.starts.hasRepeated(left.map(({ pid }) => pid)));
    if (isAlone) for (const { pid } of left) await apply(pid, {});
    else await this.#sideBySide(left, isRepeated, apply);
  }

  /** Each of some connections takes the next execution when it is ready for one. */
  async #sideBySide(executions: readonly ExecutionRow[], isRepeated: boolean, apply: Apply): Promise<void> {
    const { database, connections } = this.#parts;
    const next = executions.values();
    const oneByOne = async (): Promise<void> => {
      const turns = database.turns();
      await turns.forEach(next, (execution) =>
        apply(execution.pid, { turns, ...(!isRepeated && { accepted: execution }) }),
      );
    };
    const width = Math.min(executions.length, connections.concurrency);
    await Promise.all(Array.from({ length: width }, () => connections(oneByOne)));
  }

  /** Starts the workflow `command:<pid>` of an execution that has not ended. */
  async startAlone(executionPid: string): Promise<void> {
    const execution = await findExecution(this.#parts.database, executionPid);
    if (execution && isUnfinished(execution)) await this.#parts.starter.start(execution);
  }

  /** Announces those that have succeeded, because their worker may have died before it could. */
  async #announceAgain(executions: readonly ExecutionRow[]): Promise<void> {
    for (const execution of executions) {
      const { status, result } = execution;
      if (status === 'SUCCEEDED') await this.#parts.runner.announceAgain(execution, { status, result });
    }
  }
}
