import { Redis } from 'ioredis';
import { keyPrefixOf } from '../../src/foundation/redis/redis-store.ts';

const KEYS_AT_ONCE = 500;

/** The keys of an installation: they begin with its id. */
export class RedisPart {
  readonly #redis: Redis;
  readonly #pattern: string;

  constructor(url: string, installationId: string) {
    const plain = new URL(url);
    plain.searchParams.delete('keyPrefix');
    this.#redis = new Redis(plain.href, { maxRetriesPerRequest: 1 });
    // What a pattern would read as more than itself is escaped.
    this.#pattern = `${`${keyPrefixOf(url)}${installationId}:`.replaceAll(/[\\*?[\]^]/g, String.raw`\$&`)}*`;
  }

  async count(): Promise<number> {
    const found = new Set<string>();
    for await (const keys of this.#keys()) for (const key of keys) found.add(key);
    return found.size;
  }

  async remove(): Promise<void> {
    for await (const keys of this.#keys()) if (keys.length > 0) await this.#redis.unlink(keys);
  }

  close(): void {
    this.#redis.disconnect();
  }

  #keys(): AsyncIterable<string[]> {
    return this.#redis.scanStream({ match: this.#pattern, count: KEYS_AT_ONCE }) as AsyncIterable<string[]>;
  }
}
