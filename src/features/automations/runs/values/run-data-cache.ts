import { LRUCache } from 'lru-cache';
import type { SqlRunner } from '../../../../foundation/database/pool.ts';
import { CACHED_RUN_BYTES, RUN_DATA_CACHE_BYTES } from '../../automations.limits.ts';
import { findRun, type RunRow } from '../rows/run-store.ts';
import { outputsOf } from '../rows/step-store.ts';

/**
 * Caches the immutable parts of runs: identity, input, event, outputs of ended steps. The steps of 10,000
 * items share one parsed list.
 */
export class RunDataCache {
  readonly #values = new LRUCache<string, { readonly value: unknown }>({ maxSize: RUN_DATA_CACHE_BYTES });

  /** A run; its status and all else that changes may be old. */
  async findRun(runner: SqlRunner, pid: string): Promise<RunRow | null> {
    const cached = this.#values.get(pid);
    if (cached) return cached.value as RunRow;
    const run = await findRun(runner, pid);
    if (!run) return null;
    const bytes = JSON.stringify([run.input, run.event]).length;
    this.#values.set(pid, { value: run }, { size: CACHED_RUN_BYTES + bytes });
    return run;
  }

  /** The outputs of steps, by key. */
  async outputsOf(
    runner: SqlRunner,
    { pid, retries }: Pick<RunRow, 'pid' | 'retries'>,
    keys: readonly string[],
  ): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    // Steps that a retry repeats have other outputs then.
    const name = (key: string) => `${pid}:${retries}:${key}`;
    for (const key of keys) {
      const cached = this.#values.get(name(key));
      if (cached) found.set(key, cached.value);
    }
    const missing = keys.filter((key) => !found.has(key));
    if (missing.length === 0) return found;
    for (const { key, output, isFinal, bytes } of await outputsOf(runner, pid, missing)) {
      found.set(key, output);
      if (isFinal) this.#values.set(name(key), { value: output }, { size: bytes + 1 });
    }
    return found;
  }
}
