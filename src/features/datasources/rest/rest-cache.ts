import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { holdMore } from '../../../foundation/memory/held-memory.ts';
import { weightOfJson } from '../../../foundation/memory/value-weight.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { canonicalJson } from '../../../foundation/validation/canonical-json.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import {
  MAX_CACHE_SECONDS,
  MAX_CACHED_ANSWER_BYTES,
  MAX_CACHED_ANSWERS,
  RETRY_AFTER_SECONDS,
} from '../datasources.limits.ts';
import type { ParamValues } from '../params/params.ts';
import type { RestSource } from './rest-content.ts';
import type { RestRequest } from './rest-request.ts';

/** Rows of another service, as they were at a moment. */
interface Answer {
  readonly rows: object[];
  /** ms since 1970. */
  readonly at: number;
}

/** Rows with their age, which is null for those that the service has answered just now. */
export interface AgedRows {
  readonly rows: object[];
  readonly ageSeconds: number | null;
}

/** Where an answer is kept, and what for. */
interface CacheEntry {
  readonly key: string;
  /** The set of all keys of the tenant and environment, by age. */
  readonly index: string;
  /** What the answer is sealed for: the request with its secrets. */
  readonly context: string;
}

/**
 * Keeps the answers of REST sources in Redis: per tenant, environment, content and params. They are sealed
 * for the request that brought them, secrets included: with another secret one cannot be opened, and none can
 * be read in Redis.
 */
export class RestCache {
  readonly #store: RedisStore;
  readonly #box: SecretBox;
  /** Requests under way on this node. */
  readonly #pending = new Map<string, Promise<Answer>>();
  /** Services that were unavailable a moment ago, and how. */
  readonly #unavailable = new LRUCache<string, ApplicationError>({ max: 1_000, ttl: RETRY_AFTER_SECONDS * 1_000 });

  constructor(store: RedisStore, box: SecretBox) {
    this.#store = store;
    this.#box = box;
  }

  /**
   * The rows of a source that has `cache`.
   * @param callService fetches the rows
   * @throws as `callService`, where there is no answer that is young enough
   */
  async rows(
    source: RestSource,
    actor: Actor,
    params: ParamValues,
    request: RestRequest,
    callService: () => Promise<object[]>,
  ): Promise<AgedRows> {
    const { ttlSeconds = 0, staleSeconds = 0 } = source.cache ?? {};
    const entry = entryOf(source, actor, params, request);
    const known = await this.#read(entry);
    const ageMs = known ? Math.max(0, Date.now() - known.at) : Infinity;
    if (known && ageMs < ttlSeconds * 1_000) return aged(known);
    const isUsable = ageMs < (ttlSeconds + staleSeconds) * 1_000;
    if (known && isUsable && this.#unavailable.has(entry.key)) return aged(known);
    try {
      const { rows } = await this.#call(entry, ttlSeconds + staleSeconds, callService);
      return { rows, ageSeconds: null };
    } catch (error) {
      if (!(error instanceof ApplicationError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
      this.#unavailable.set(entry.key, error);
      if (!known || !isUsable) throw error;
      return aged(known);
    }
  }

  /** Calls the service once for all requests that wait for the same answer. */
  #call(entry: CacheEntry, seconds: number, callService: () => Promise<object[]>): Promise<Answer> {
    const request = `${entry.key} ${entry.context}`;
    const running = this.#pending.get(request);
    if (running) return running;
    const call = callService()
      .then((rows) => {
        const answer = { rows, at: Date.now() };
        this.#write(entry, answer, seconds);
        return answer;
      })
      .finally(() => this.#pending.delete(request));
    this.#pending.set(request, call);
    return call;
  }

  /** Null: there is none, or one that another request brought. */
  async #read({ key, context }: CacheEntry): Promise<Answer | null> {
    const opened = await this.#open(key, context);
    if (opened === null) return null;
    await holdMore(weightOfJson(opened));
    return JSON.parse(opened) as Answer;
  }

  async #open(key: string, context: string): Promise<string | null> {
    try {
      const [sealed] = await this.#store.pipeline([['get', key]]);
      return typeof sealed === 'string' ? this.#box.open(sealed, context) : null;
    } catch {
      return null;
    }
  }

  /** A failure is ignored: the next request calls the service. */
  #write({ key, index, context }: CacheEntry, answer: Answer, seconds: number): void {
    const text = JSON.stringify(answer);
    if (Buffer.byteLength(text) > MAX_CACHED_ANSWER_BYTES) return;
    const written = this.#store.pipeline([
      ['set', key, this.#box.seal(text, context), 'EX', seconds],
      ['zadd', index, answer.at, key],
      ['expire', index, 2 * MAX_CACHE_SECONDS],
      ['zcard', index],
    ]);
    written
      .then(async (replies) => {
        const tooMany = Number(replies.at(-1)) - MAX_CACHED_ANSWERS;
        if (tooMany <= 0) return;
        const [oldest] = (await this.#store.pipeline([['zpopmin', index, tooMany]])) as [string[]];
        const keys = oldest.filter((_, index) => index % 2 === 0);
        if (keys.length > 0) await this.#store.pipeline([['del', ...keys]]);
      })
      .catch(() => undefined);
  }
}

function entryOf(source: RestSource, actor: Actor, params: ParamValues, request: RestRequest): CacheEntry {
  const { tenantId, metadata } = actor;
  const scope = `keelson:datasource:${metadata.environment}:${tenantId}`;
  const hash = createHash('sha256')
    .update(canonicalJson([source, params]))
    .digest('base64url');
  return { key: `${scope}:${hash}`, index: `${scope}:index`, context: canonicalJson([tenantId, request]) };
}

function aged({ rows, at }: Answer): AgedRows {
  return { rows, ageSeconds: Math.max(0, Math.floor((Date.now() - at) / 1_000)) };
}
