import { sqlRunnerOf, type PlatformOrm } from '../database/orm.ts';
import type { SqlRunner } from '../database/pool.ts';
import type { Retention } from '../database/retention.ts';
import type { StreamKey } from './stream-key.ts';
import type { StreamWriter } from './stream-writer.ts';

/** Forgets what is kept for so many days, with its streams. */
export abstract class StreamedRetention implements Retention {
  readonly #orm: PlatformOrm;
  readonly #streams: StreamWriter;
  readonly #days: number;

  /** @param days 0: it is kept for ever */
  constructor(orm: PlatformOrm, streams: StreamWriter, days: number) {
    this.#orm = orm;
    this.#streams = streams;
    this.#days = days;
  }

  async purgeBatch(): Promise<boolean> {
    if (this.#days === 0) return false;
    const keys = await this.forget(sqlRunnerOf(this.#orm.em.fork()), this.#days);
    if (keys.length === 0) return false;
    // What stays of them expires by itself.
    await this.#streams.forget(...keys).catch(() => undefined);
    return true;
  }

  /** Deletes a batch of rows. @returns the streams of what has gone, at least one of each */
  protected abstract forget(sql: SqlRunner, days: number): Promise<StreamKey[]>;
}
