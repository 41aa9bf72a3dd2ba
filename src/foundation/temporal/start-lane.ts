import { setTimeout as sleep } from 'node:timers/promises';
import { newPid } from '../database/pid.ts';
import type { ApplicationError } from '../errors/application-error.ts';
import type { Histogram, Metrics } from '../metrics/metrics.ts';
import { FairQueue } from './fair-queue.ts';

/** How the workflows of a kind of work are started. */
export interface StartLaneOptions<T> {
  /** Plural, for the help of the metrics: `commands`. */
  readonly things: string;
  /** Most of a group; 1: each has a workflow of its own. */
  readonly maxSize: number;
  /** Of a group, while other tenants wait. */
  readonly maxOfOneTenant: number;
  /** So many may wait for their start; of those above, the newest of the tenant with most is refused. */
  readonly maxWaiting: number;
  /**
   * How long a group keeps the next one from its start while none of its items ends; 0: only until it has
   * started itself.
   */
  readonly maxStillMs: number;
  /** How long the end of an item renews that time. */
  readonly maxHoldMs: number;
  /** How long the next group waits at most for the callers of one that has ended to send their next item. */
  readonly returnMs: number;
  /** What has waited for longer is refused. */
  readonly maxWaitMs: number;
  readonly startOne: (item: T) => Promise<unknown>;
  readonly startGroup: (groupPid: string, items: readonly T[]) => Promise<unknown>;
  /** Whether a failed start can be repeated at once, under the same id. */
  readonly canRepeat: (error: unknown) => Promise<boolean>;
  /** Resolves when an item has ended, or has run long enough that others may start. */
  readonly holdUntil: (item: T) => Promise<unknown>;
  /** What is thrown for an item that is refused. */
  readonly overloaded: () => ApplicationError;
}

interface Waiting<T> {
  readonly item: T;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts workflows, one group at a time (group commit): on an idle node work starts at once, by itself; what
 * arrives until the group has ended leaves together with the next one. The more waits, the larger a group is,
 * and the less a workflow costs each of its items.
 */
export class StartLane<T extends { readonly tenantId: string }> {
  readonly #options: StartLaneOptions<T>;
  readonly #sizes: Histogram;
  readonly #waits: Histogram;
  readonly #starts: Histogram;
  readonly #queue = new FairQueue<Waiting<T>>();
  /** Started work whose end is not known yet. */
  readonly #unfinished = new Set<T>();
  /** Most that was under way or waited at once since the last group was started. */
  #crowd = 0;
  /** Called when an item has come to wait. */
  #onAdded: (() => void) | undefined;
  #isClosing = false;
  /** Stands for the group that keeps the next one waiting: the last one that was started. */
  #holder: object | null = null;
  #starting: Promise<void> | null = null;

  /** @param name begins the names of the metrics: `command` */
  constructor(options: StartLaneOptions<T>, metrics: Metrics, name: string) {
    const { things } = options;
    this.#options = options;
    this.#sizes = metrics.sizes(`${name}_group_size`, `Started together: ${things} per workflow`);
    this.#waits = metrics.histogram(`${name}_lane_wait_seconds`, `Time that ${things} wait before their start`);
    this.#starts = metrics.histogram(`${name}_start_seconds`, `Time to start a workflow of ${things}`);
    metrics.gauge(`${name}_lane_waiting`, `How many ${things} wait for their start`, [], (gauge) =>
      gauge.set(this.#queue.size),
    );
  }

  /**
   * Resolves when the item has a workflow.
   * @throws the error of an item that is refused; SERVICE_UNAVAILABLE when Temporal does not answer: then it
   * may have one
   */
  async start(item: T): Promise<void> {
    const { maxSize, maxWaiting } = this.#options;
    if (maxSize === 1) return void (await this.#options.startOne(item));
    if (this.#queue.size >= maxWaiting) {
      const displaced = this.#queue.displace(item.tenantId);
      if (!displaced) throw this.#options.overloaded();
      displaced.reject(this.#options.overloaded());
    }
    return new Promise((resolve, reject) => {
      this.#queue.add(item.tenantId, { item, since: Date.now(), resolve, reject });
      this.#crowd = Math.max(this.#crowd, this.#unfinished.size + this.#queue.size);
      this.#onAdded?.();
      this.#next();
    });
  }

  /** What this process has started, and does not know the end of. */
  get unfinished(): ReadonlySet<T> {
    return this.#unfinished;
  }

  /** Starts or refuses what still waits. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#next();
    while (this.#starting) await this.#starting;
  }

  #next(): void {
    // The workers are kept busy by one group; more would only wait there, out of turn.
    const isBusy = this.#holder !== null || this.#unfinished.size > this.#options.maxSize;
    if (this.#starting || this.#queue.size === 0 || (isBusy && !this.#isClosing)) return;
    this.#starting = this.#startGroup().finally(() => {
      this.#starting = null;
      this.#next();
    });
  }

  async #startGroup(): Promise<void> {
    const { maxSize, maxOfOneTenant, maxWaitMs } = this.#options;
    const group: Waiting<T>[] = [];
    for (const one of this.#queue.draw(maxSize, maxOfOneTenant)) {
      const waitedMs = Date.now() - one.since;
      this.#waits.observe(waitedMs / 1000);
      if (waitedMs > maxWaitMs) one.reject(this.#options.overloaded());
      else group.push(one);
    }
    if (group.length === 0) return;
    const items = group.map(({ item }) => this.#countUntilEnd(item));
    this.#crowd = this.#unfinished.size + this.#queue.size;
    this.#holdNext(items.map(({ ended }) => ended));
    this.#sizes.observe(group.length);
    const end = this.#starts.startTimer();
    try {
      await this.#startOnce(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { release } of items) release();
      for (const { reject } of group) reject(error);
    } finally {
      end();
    }
  }

  async #startOnce(items: readonly T[]): Promise<void> {
    const { startOne, startGroup, canRepeat } = this.#options;
    const groupPid = newPid();
    const [first, ...others] = items;
    if (!first) return;
    const start = () => (others.length === 0 ? startOne(first) : startGroup(groupPid, items));
    try {
      await start();
    } catch (error) {
      // The repeat has the same id, so it starts nothing twice.
      if (!(await canRepeat(error))) throw error;
      await start();
    }
  }

  /** Keeps the next group from its start until this one has ended and its callers are back, or takes long. */
  #holdNext(ends: readonly Promise<void>[]): void {
    const { maxStillMs, maxHoldMs } = this.#options;
    if (maxStillMs === 0) return;
    const holder = (this.#holder = {});
    const heldUntil = Date.now() + maxHoldMs;
    const { promise: takesLong, resolve } = Promise.withResolvers<void>();
    const still = setTimeout(resolve, maxStillMs);
    for (const end of ends) void end.then(() => (Date.now() < heldUntil ? still.refresh() : undefined));
    const holds = (): boolean => this.#holder === holder;
    // There is nothing to wait for after a single caller.
    const ended = Promise.all(ends).then(() => (ends.length > 1 && holds() ? this.#callersBack() : undefined));
    void Promise.race([ended, takesLong]).then(() => {
      clearTimeout(still);
      if (!holds()) return;
      this.#holder = null;
      this.#next();
    });
  }

  /** Resolves when as many wait as there were during the last group, or a full group; or after a while. */
  async #callersBack(): Promise<void> {
    const { maxSize, returnMs } = this.#options;
    const expected = Math.min(this.#crowd, maxSize);
    const allBack = new Promise<void>((resolve) => {
      this.#onAdded = () => {
        if (this.#queue.size >= expected) resolve();
      };
      this.#onAdded();
    });
    await Promise.race([allBack, sleep(returnMs)]);
    this.#onAdded = undefined;
  }

  /** Counts an item as unfinished until it has ended or is released. */
  #countUntilEnd(item: T): { readonly ended: Promise<void>; readonly release: () => void } {
    this.#unfinished.add(item);
    let release = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      release = resolve;
      void this.#options.holdUntil(item).then(() => resolve());
    }).then(() => {
      this.#unfinished.delete(item);
      // A full group gains nothing by waiting: its start overlaps with the rest of one that goes on.
      const { maxSize } = this.#options;
      if (this.#unfinished.size <= maxSize / 2 && this.#queue.size >= maxSize) this.#holder = null;
      this.#next();
    });
    return { ended, release };
  }
}
