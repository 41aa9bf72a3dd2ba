import pLimit from 'p-limit';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import type { RepeatedStarts } from '../../../foundation/jobs/repeated-starts.ts';
import type { CommandRunner, RunOptions } from '../command-runner.ts';
import type { CommandStarter } from '../executions/command-starter.ts';
import {
  findExecution,
  findExecutions,
  isUnfinished,
  type ExecutionRow,
  type NewExecution,
} from '../executions/execution-store.ts';
import type { CommandLane } from './command-lane.ts';
import { GROUP_STATEMENT_TIMEOUT_MS, POOL_SHARE } from './groups.limits.ts';

interface Group {
  readonly groupPid: string;
  readonly executionPids: readonly string[];
  /** Whether a worker may have begun it before. */
  readonly isRepeated: boolean;
}

type Apply = (executionPid: string, how: RunOptions) => Promise<void>;

/** Applies the commands of groups side by side: each in its own transaction, with its own outcome. */
export class CommandGroupRunner {
  readonly #database: Database;
  readonly #runner: CommandRunner;
  readonly #starter: CommandStarter;
  readonly #starts: RepeatedStarts;
  readonly #lane: Pick<CommandLane, 'unfinished'>;
  /** Shared by all groups, so that they leave connections to requests. */
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(
    database: Database,
    runner: CommandRunner,
    starter: CommandStarter,
    starts: RepeatedStarts,
    lane: Pick<CommandLane, 'unfinished'>,
    poolSize: number,
  ) {
    this.#database = database;
    this.#runner = runner;
    this.#starter = starter;
    this.#starts = starts;
    this.#lane = lane;
    this.#limit = pLimit(Math.max(1, Math.floor(poolSize * POOL_SHARE)));
  }

  /**
   * @returns the executions that a transient fault has put off
   * @throws a transient fault: what is left of the group cannot be read
   */
  async run({ groupPid, executionPids, isRepeated }: Group): Promise<{ again: readonly string[] }> {
    const again: string[] = [];
    const apply = async (pid: string, how: RunOptions): Promise<void> => {
      try {
        const statementTimeoutMs = GROUP_STATEMENT_TIMEOUT_MS;
        await this.#runner.run(pid, { groupPid, statementTimeoutMs, isRepeated, ...how });
      } catch (error) {
        // Any other error has ended the execution, whose row has it.
        if (isTransient(error)) again.push(pid);
      }
    };
    if (isRepeated) await this.#takeUp(executionPids, apply);
    else await this.#sideBySide(executionPids, apply, await this.#accepted(executionPids));
    return { again };
  }

  /** Does what a worker that may have died has left. */
  async #takeUp(executionPids: readonly string[], apply: Apply): Promise<void> {
    const executions = await findExecutions(this.#database, executionPids);
    await this.#announceAgain(executions);
    const left = executions.filter(isUnfinished).map(({ pid }) => pid);
    // One of them may end the process: alone, it is the only one that is counted as begun.
    if (await this.#starts.hasRepeated(left)) for (const pid of left) await apply(pid, {});
    else await this.#sideBySide(left, apply);
  }

  /** What the executions were accepted with, by pid: read, unless this process has accepted them. */
  async #accepted(executionPids: readonly string[]): Promise<ReadonlyMap<string, NewExecution>> {
    const byPid = (all: Iterable<NewExecution>) => new Map([...all].map((execution) => [execution.pid, execution]));
    const own = byPid(this.#lane.unfinished);
    if (executionPids.every((pid) => own.has(pid))) return own;
    return byPid((await findExecutions(this.#database, executionPids)).filter(isUnfinished));
  }

  /** Each of some connections takes the next execution when it is ready for one. */
  async #sideBySide(
    pids: readonly string[],
    apply: Apply,
    accepted?: ReadonlyMap<string, NewExecution>,
  ): Promise<void> {
    const next = pids.values();
    const oneByOne = async (): Promise<void> => {
      const turns = this.#database.turns();
      await turns.forEach(next, (pid) => apply(pid, { turns, accepted: accepted?.get(pid) }));
    };
    const width = Math.min(pids.length, this.#limit.concurrency);
    await Promise.all(Array.from({ length: width }, () => this.#limit(oneByOne)));
  }

  /** Starts the workflow `command:<pid>` of an execution that has not ended. */
  async startAlone(executionPid: string): Promise<void> {
    const execution = await findExecution(this.#database, executionPid);
    if (execution && isUnfinished(execution)) await this.#starter.start(execution);
  }

  /** Announces those that have succeeded, because their worker may have died before it could. */
  async #announceAgain(executions: readonly ExecutionRow[]): Promise<void> {
    for (const execution of executions) {
      const { status, result } = execution;
      if (status === 'SUCCEEDED') await this.#runner.announceAgain(execution, { status, result });
    }
  }
}
