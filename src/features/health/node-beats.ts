import { newPid } from '../../foundation/database/pid.ts';
import { PollingLoop } from '../../foundation/jobs/polling-loop.ts';
import type { Metrics } from '../../foundation/metrics/metrics.ts';
import type { RedisStore } from '../../foundation/redis/redis-store.ts';
import { BEAT_EVERY_MS, NODE_GONE_MS } from './health.limits.ts';
import { NodeMinutes, type NodeMinute } from './node-minutes.ts';

/** A node as it describes itself. */
export interface NodeAbout {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly commit: string | null;
  readonly roles: readonly string[];
  readonly startedAt: string;
}

/** A node, with when it was there last, and its last hour. */
export interface NodeBeat extends NodeAbout {
  readonly seenAt: string;
  readonly minutes: readonly NodeMinute[];
}

const KEY = 'nodes';

/** Tells the other nodes that this one is there, and what it has done of late. */
export class NodeBeats {
  readonly #store: RedisStore;
  readonly #minutes: NodeMinutes;
  readonly #about: NodeAbout;
  readonly #id = newPid();
  readonly #loop = new PollingLoop(BEAT_EVERY_MS, () => this.#beat().catch(() => undefined));

  constructor(store: RedisStore, metrics: Metrics, about: NodeAbout) {
    this.#store = store;
    this.#minutes = new NodeMinutes(metrics);
    this.#about = about;
  }

  async open(): Promise<void> {
    await this.#beat().catch(() => undefined);
    this.#loop.start();
  }

  async close(): Promise<void> {
    this.#loop.stop();
    await this.#store.pipeline([['hdel', KEY, this.#id]]).catch(() => undefined);
  }

  /** All nodes that were there of late, by their hosts. @throws SERVICE_UNAVAILABLE */
  async nodes(): Promise<NodeBeat[]> {
    const [found] = (await this.#store.pipeline([['hgetall', KEY]])) as [Record<string, string>];
    const beats = Object.entries(found).map(([id, json]) => ({ id, beat: JSON.parse(json) as NodeBeat }));
    const isGone = ({ beat }: { beat: NodeBeat }) => Date.now() - Date.parse(beat.seenAt) > NODE_GONE_MS;
    const gone = beats.filter(isGone).map(({ id }) => id);
    if (gone.length > 0) await this.#store.pipeline([['hdel', KEY, ...gone]]);
    return beats
      .filter((one) => !isGone(one))
      .map(({ beat }) => beat)
      .toSorted((one, other) => (`${one.host} ${one.pid}` < `${other.host} ${other.pid}` ? -1 : 1));
  }

  async #beat(): Promise<void> {
    const now = new Date();
    const beat: NodeBeat = { ...this.#about, seenAt: now.toISOString(), minutes: await this.#minutes.look(now) };
    await this.#store.pipeline([['hset', KEY, this.#id, JSON.stringify(beat)]]);
  }
}
