import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { beginTogether, type StartedAttempt } from './delivery-attempts.ts';
import type { DeliveryExecutor } from './delivery-executor.ts';
import { findUnfinished } from './delivery-queue.ts';
import type { DeliveryStarter } from './delivery-starter.ts';
import type { EndpointSpeeds } from './endpoint-speeds.ts';
import { GROUP } from '../webhooks.limits.ts';

interface Group {
  readonly deliveryPids: readonly string[];
  /** Whether a worker may have begun it before. */
  readonly isRepeated: boolean;
}

/** Makes the first attempts of a group side by side. What needs more goes on in a workflow of its own. */
export class DeliveryGroupRunner {
  readonly #database: Database;
  readonly #executor: DeliveryExecutor;
  readonly #starter: DeliveryStarter;
  readonly #speeds: EndpointSpeeds;
  readonly #logger: Logger;

  constructor(
    database: Database,
    executor: DeliveryExecutor,
    starter: DeliveryStarter,
    speeds: EndpointSpeeds,
    logger: Logger,
  ) {
    this.#database = database;
    this.#executor = executor;
    this.#starter = starter;
    this.#speeds = speeds;
    this.#logger = logger;
  }

  /**
   * Of a group that was begun before, nothing is attempted together again: one of its attempts may have ended
   * the process.
   * @returns the deliveries that need a workflow of their own
   * @throws a transient fault, before anything was sent
   */
  async run({ deliveryPids, isRepeated }: Group): Promise<{ unfinished: readonly string[] }> {
    if (isRepeated) return { unfinished: pidsOf(await findUnfinished(this.#database, deliveryPids)) };
    const begun = await beginTogether(this.#database, deliveryPids);
    const ended = new AbortController();
    const late = sleep(GROUP.waitMs, null, { signal: ended.signal }).catch(() => null);
    const again = await Promise.all(begun.map((attempt) => this.#attempt(attempt, late)));
    ended.abort();
    const begunPids = new Set(pidsOf(begun));
    const others = deliveryPids.filter((pid) => !begunPids.has(pid));
    const unbegun = others.length === 0 ? [] : await findUnfinished(this.#database, others);
    // One with an attempt has lost this group's slot, and got another one.
    const refused = unbegun.filter(({ attemptCount }) => attemptCount === 0);
    return { unfinished: [...again.filter((pid) => pid !== null), ...pidsOf(refused)] };
  }

  /** Gives unfinished deliveries workflows of their own, which wait until their retries are due. */
  async startAlone(deliveryPids: readonly string[]): Promise<void> {
    const deliveries = await findUnfinished(this.#database, deliveryPids);
    await Promise.all(deliveries.map((delivery) => this.#starter.startWaiting(delivery, delivery.dueInMs)));
  }

  /** @returns the delivery's pid if it goes on after this attempt, and has no workflow that does so */
  async #attempt(begun: StartedAttempt, late: Promise<null>): Promise<string | null> {
    const { pid, subscriptionPid } = begun;
    const attempt = this.#executor.carryOut(begun);
    try {
      const state = await Promise.race([attempt, late]);
      if (state) return state.ended ? null : pid;
    } catch (error) {
      this.#logger.warn({ err: error, deliveryPid: pid }, 'the outcome of an attempt could not be stored');
      return pid;
    }
    this.#speeds.observe(subscriptionPid, GROUP.waitMs);
    this.#executor.leave(begun, attempt, async ({ ended }) => {
      if (!ended) await this.startAlone([pid]);
    });
    return null;
  }
}

function pidsOf(rows: readonly { readonly pid: string }[]): string[] {
  return rows.map(({ pid }) => pid);
}
