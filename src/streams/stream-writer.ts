import type { StreamConfig } from '../config/config.ts';
import type { RedisCommand, SharedStore } from '../redis/redis.ts';
import type { RawEntry } from '../redis/stream-tail.ts';
import { END, isEventName, parseEntry, type StreamEntry } from './stream-entry.ts';
import type { StreamKey } from './stream-key.ts';

/** What a producer has to tell. */
export interface StreamEvent {
  readonly event: string;
  /** Anything JSON can say. */
  readonly data: unknown;
  /**
   * Names this event within its stream: it is written once, however often a producer that is tried again says it. A
   * repeat is left out, whatever its data.
   */
  readonly dedupeId?: string;
}

/** Longer data belongs where it can be fetched; the event says where. */
const MAX_DATA_BYTES = 256 * 1024;

/**
 * Appends events, each with the next ordinal, unless its name is known or the stream has ended. The names are kept
 * beside the stream, as long as it lives, twice as many as there are events at most.
 * KEYS: stream, names. ARGV: the cap, milliseconds to live, then event, data and name (or '') of each.
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

/** Writes streams: for activities and services, on any node. */
export class StreamWriter {
  readonly #store: SharedStore;
  readonly #settings: Pick<StreamConfig, 'maxEntries' | 'expiryMs'>;

  constructor(store: SharedStore, settings: Pick<StreamConfig, 'maxEntries' | 'expiryMs'>) {
    this.#store = store;
    this.#settings = settings;
  }

  /**
   * Appends the events in order, in one round trip and as one step.
   * @returns the id of each; null for one that was left out: its `dedupeId` is known, or the stream has ended
   * @throws SERVICE_UNAVAILABLE: they may or may not have been appended, which is what `dedupeId` is for
   */
  async append(key: StreamKey, ...events: readonly StreamEvent[]): Promise<(string | null)[]> {
    const [ids] = await this.#store.together([this.appendCommand(key, ...events)]);
    return (ids as string[]).map((id) => id || null);
  }

  /** Closes the stream for good: readers get `end` and are let go. Repeats change nothing. @throws SERVICE_UNAVAILABLE */
  async end(key: StreamKey, data: unknown = {}): Promise<void> {
    await this.append(key, { event: END, data });
  }

  /** `append` as a command, to share a round trip with others. */
  appendCommand(key: StreamKey, ...events: readonly StreamEvent[]): RedisCommand {
    const { maxEntries, expiryMs } = this.#settings;
    const parts = events.flatMap(({ event, data, dedupeId = '' }) => [event, serialise(event, data), dedupeId]);
    return ['eval', APPEND, 2, key, `${key}:names`, maxEntries, expiryMs, ...parts];
  }

  /** Deletes streams and everything in them. @throws SERVICE_UNAVAILABLE */
  async forget(...keys: readonly StreamKey[]): Promise<void> {
    await this.#store.together([['del', ...keys.flatMap((key) => [key, `${key}:names`])]]);
  }

  /** What the stream holds: where a producer that starts again finds how far it had come. @throws SERVICE_UNAVAILABLE */
  async read(key: StreamKey): Promise<StreamEntry[]> {
    const [entries] = await this.#store.together([['xrange', key, '-', '+']]);
    return (entries as RawEntry[]).map(parseEntry);
  }
}

function serialise(event: string, data: unknown): string {
  if (!isEventName(event)) throw new Error(`an event of a stream cannot be called ${event}`);
  const text = JSON.stringify(data ?? null);
  if (Buffer.byteLength(text) > MAX_DATA_BYTES) throw new Error(`the event ${event} is larger than a stream takes`);
  return text;
}
