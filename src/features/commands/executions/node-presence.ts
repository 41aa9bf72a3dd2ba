import { newPid } from '../../../foundation/database/pid.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import { PRESENCE } from '../commands.limits.ts';

const keyOf = (nodePid: string): string => `keelson:node:${nodePid}`;

/** Tells which processes are alive, so that what a dead one has accepted is started at once by another. */
export class NodePresence {
  readonly #store: RedisStore;
  readonly #loop = new PollingLoop(PRESENCE.renewEveryMs, () => this.renew());
  /** This process. */
  readonly nodePid = newPid();

  constructor(store: RedisStore) {
    this.#store = store;
  }

  async start(): Promise<void> {
    await this.renew();
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /** Never throws: while Redis is away, none is taken for dead. */
  async renew(): Promise<void> {
    const command = ['set', keyOf(this.nodePid), 1, 'px', PRESENCE.expiryMs] as const;
    await this.#store.pipeline([command]).catch(() => undefined);
  }

  /** Those of other processes that have not renewed their sign of life. Never throws. */
  async deadAmong(nodePids: readonly string[]): Promise<string[]> {
    const others = nodePids.filter((pid) => pid !== this.nodePid);
    if (others.length === 0) return [];
    const replies = await this.#store.pipeline([['mget', ...others.map(keyOf)]]).catch(() => null);
    const signs = (replies?.[0] ?? others) as (string | null)[];
    return others.filter((_, index) => signs[index] === null);
  }
}
