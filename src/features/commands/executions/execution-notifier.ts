import type { StoredError } from '../../../foundation/errors/failure.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { RedisCommand, RedisStore } from '../../../foundation/redis/redis-store.ts';
import { NOTIFIER_RETRY_MS } from '../commands.limits.ts';

/** How an execution ended. */
export type Outcome =
  | { readonly status: 'SUCCEEDED'; readonly result: unknown }
  | { readonly status: 'FAILED' | 'CANCELLED'; readonly error: StoredError | null };

/** Another node has announced the end: the row in Postgres has the outcome. */
export const ENDED = 'ended';
type Wake = (outcome: Outcome | typeof ENDED | null) => void;

const CHANNEL = 'keelson:executions';

/**
 * Tells waiting requests that an execution has ended: at once within this process, through Redis on other
 * nodes. It is only a wake-up call; the row in Postgres is the truth, and waiters look there by themselves
 * when no call comes.
 */
export class ExecutionNotifier {
  readonly #store: RedisStore;
  readonly #logger: Logger;
  readonly #waiting = new Map<string, Set<Wake>>();
  /** What this process is announcing: it wakes its own waiters itself, with the outcome. */
  readonly #announcing = new Set<string>();
  readonly #listeners: ((own: boolean) => void)[] = [];

  constructor(store: RedisStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  async listen(): Promise<void> {
    await this.#store.subscribe(CHANNEL, (executionPid) => {
      // Our own call comes back to us, often before the reply to it.
      if (!this.#announcing.has(executionPid)) this.#wake(executionPid, ENDED, false);
    });
  }

  /** Calls `listener` whenever some execution has ended, here (`own`) or on another node. */
  subscribe(listener: (own: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Resolves when the execution is announced, with its outcome, or with ENDED where only the row has it; with
   * null when `timeoutMs` are over. The waiting begins with the call, so call it before the work is started.
   */
  wait(executionPid: string, timeoutMs: number): Promise<Outcome | typeof ENDED | null> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(executionPid) ?? new Set<Wake>();
      const wake: Wake = (outcome) => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(executionPid);
        resolve(outcome);
      };
      const timer = setTimeout(wake, timeoutMs, null);
      this.#waiting.set(executionPid, waiting.add(wake));
    });
  }

  /**
   * Sends `stamps` (what makes cached totals stale) and then the call, in one round trip. The command has
   * committed: while Redis is away this keeps trying in the background, and every list answers 503 anyway.
   */
  async publish(executionPid: string, outcome: Outcome, stamps: readonly RedisCommand[]): Promise<void> {
    const commands: RedisCommand[] = [...stamps, this.#store.publishCommand(CHANNEL, executionPid)];
    this.#announcing.add(executionPid);
    await this.#store.pipeline(commands).catch(() => {
      this.#logger.warn({ executionPid }, 'redis is away: the end of a command is announced later');
      void this.#announceLater(commands);
    });
    this.#announcing.delete(executionPid);
    this.#wake(executionPid, outcome, true);
  }

  async #announceLater(commands: readonly RedisCommand[]): Promise<void> {
    for (let sent = false; !sent;) {
      await new Promise((resolve) => setTimeout(resolve, NOTIFIER_RETRY_MS).unref());
      sent = await this.#store.pipeline(commands).then(
        () => true,
        () => false,
      );
    }
  }

  #wake(executionPid: string, outcome: Outcome | typeof ENDED, own: boolean): void {
    for (const wake of [...(this.#waiting.get(executionPid) ?? [])]) wake(outcome);
    for (const listener of this.#listeners) listener(own);
  }
}
