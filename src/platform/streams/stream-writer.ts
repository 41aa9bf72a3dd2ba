import type { StreamConfig } from '../../foundation/config/config.ts';
import type { RedisCommand, RedisStore } from '../../foundation/redis/redis-store.ts';
import type { RawEntry } from '../../foundation/redis/stream-tail.ts';
import { END, isEventName, parseEntry, type StreamEntry, type StreamKey } from './stream-entry.ts';
import { MAX_DATA_BYTES } from './streams.limits.ts';
import type { PlatformOrm } from '../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';
import type { Retention } from '../../foundation/jobs/retention.ts';

export interface StreamEvent {
  readonly event: string;
  /** Any JSON value. */
  readonly data: unknown;
  /**
   * Identifies the event within its stream. A repeat from a retried producer is omitted, whatever its data.
   */
  readonly dedupeId?: string;
}

/**
 * Appends events, each with the next ordinal, unless its dedupe id is known or the stream has ended. The
 * dedupe ids are kept as long as the stream, at most twice as many as its events. KEYS: stream, dedupe ids.
 * ARGV: cap, milliseconds to live, then event, data and dedupe id (or '') of each.
 */
const APPEND = `local last = redis.call('xrevrange', KEYS[1], '+', '-', 'COUNT', 1)[1]
local ms, n, ended = 0, 0, false
if last then
  local time, ordinal = string.match(last[1], '^(%d+)-(%d+)$')
  ms, n, ended = tonumber(time), tonumber(ordinal), last[2][2] == '${END}'
else
  redis.call('del', KEYS[2])
end
local clock = redis.call('time')
ms = math.max(ms, clock[1] * 1000 + math.floor(clock[2] / 1000))
local ids = {}
for i = 3, #ARGV, 3 do
  local id = ''
  if not ended and (ARGV[i + 2] == '' or redis.call('zadd', KEYS[2], 'NX', n + 1, ARGV[i + 2]) == 1) then
    n = n + 1
    id = string.format('%.0f-%.0f', ms, n)
    redis.call('xadd', KEYS[1], 'MAXLEN', '~', ARGV[1], id, 'event', ARGV[i], 'data', ARGV[i + 1])
    ended = ARGV[i] == '${END}'
  end
  ids[#ids + 1] = id
end
redis.call('zremrangebyrank', KEYS[2], 0, -(2 * ARGV[1]) - 1)
redis.call('pexpire', KEYS[1], ARGV[2])
redis.call('pexpire', KEYS[2], ARGV[2])
return ids`;

/** Writes streams, from any node. */
export class StreamWriter {
  readonly #store: RedisStore;
  readonly #settings: Pick<StreamConfig, 'maxEntries' | 'expiryMs'>;

  constructor(store: RedisStore, settings: Pick<StreamConfig, 'maxEntries' | 'expiryMs'>) {
    this.#store = store;
    this.#settings = settings;
  }

  /**
   * Appends the events in order, atomically, in one round trip. `END` ends the stream for good.
   * @returns the id of each; null if it was omitted: its `dedupeId` is known, or the stream has ended
   * @throws SERVICE_UNAVAILABLE, even if they were appended: `dedupeId` makes a retry safe
   */
  async append(key: StreamKey, ...events: readonly StreamEvent[]): Promise<(string | null)[]> {
    const [ids] = await this.#store.pipeline([this.appendCommand(key, ...events)]);
    return (ids as string[]).map((id) => id || null);
  }

  /** `append` as a command for a shared round trip. */
  appendCommand(key: StreamKey, ...events: readonly StreamEvent[]): RedisCommand {
    const { maxEntries, expiryMs } = this.#settings;
    const parts = events.flatMap(({ event, data, dedupeId = '' }) => [event, serialise(event, data), dedupeId]);
    return ['eval', APPEND, 2, key, `${key}:names`, maxEntries, expiryMs, ...parts];
  }

  /** @throws SERVICE_UNAVAILABLE */
  async forget(...keys: readonly StreamKey[]): Promise<void> {
    await this.#store.pipeline([['del', ...keys.flatMap((key) => [key, `${key}:names`])]]);
  }

  /**
   * Reads the whole stream, so that a retried producer finds how far it had come.
   * @throws SERVICE_UNAVAILABLE
   */
  async read(key: StreamKey): Promise<StreamEntry[]> {
    const [entries] = await this.#store.pipeline([['xrange', key, '-', '+']]);
    return (entries as RawEntry[]).map(parseEntry);
  }
}

function serialise(event: string, data: unknown): string {
  if (!isEventName(event)) throw new Error(`an event of a stream cannot be called ${event}`);
  const text = JSON.stringify(data ?? null);
  if (Buffer.byteLength(text) > MAX_DATA_BYTES) throw new Error(`the event ${event} is larger than a stream takes`);
  return text;
}

/** Deletes rows of a certain age together with their streams. */
export function streamedRetention(
  { orm, streams, days }: { readonly orm: PlatformOrm; readonly streams: StreamWriter; readonly days: number },
  tables: readonly string[],
  deleteBatch: (sql: SqlRunner) => Promise<StreamKey[]>,
): Retention {
  return {
    tables,
    async purgeBatch() {
      if (days === 0) return false;
      const keys = await deleteBatch(sqlRunnerOf(orm.em.fork()));
      if (keys.length === 0) return false;
      // Streams that remain expire.
      await streams.forget(...keys).catch(() => undefined);
      return true;
    },
  };
}
