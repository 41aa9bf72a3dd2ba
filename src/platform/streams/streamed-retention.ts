import { sqlRunnerOf, type PlatformOrm } from '../../foundation/database/orm.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';
import type { Retention } from '../../foundation/jobs/retention.ts';
import type { StreamKey } from './stream-key.ts';
import type { StreamWriter } from './stream-writer.ts';

/** Deletes rows of a certain age together with their streams. */
export abstract class StreamedRetention implements Retention {
  abstract readonly tables: readonly string[];
  readonly #orm: PlatformOrm;
  readonly #streams: StreamWriter;
  readonly #days: number;

  /** @param days 0: rows are kept for ever */
  constructor(orm: PlatformOrm, streams: StreamWriter, days: number) {
    this.#orm = orm;
    this.#streams = streams;
    this.#days = days;
  }

  async purgeBatch(): Promise<boolean> {
    if (this.#days === 0) return false;
    const keys = await this.deleteBatch(sqlRunnerOf(this.#orm.em.fork()), this.#days);
    if (keys.length === 0) return false;
    // Streams that remain expire.
    await this.#streams.forget(...keys).catch(() => undefined);
    return true;
  }

  /** Deletes a batch of rows. @returns their streams, at least one per row */
  protected abstract deleteBatch(sql: SqlRunner, days: number): Promise<StreamKey[]>;
}
