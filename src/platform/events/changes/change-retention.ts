import { sqlRunnerOf, type PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';
import { forgetting } from './change-log.ts';

/**
 * Forgets the oldest history of records. Ids grow with time, so the oldest lines are the first of the primary
 * key: no other index is needed, which each command would have to keep.
 */
export class ChangeRetention implements Retention {
  readonly tables = ['change_log'];
  readonly #orm: PlatformOrm;
  readonly #days: number;
  readonly #batch: number;

  /** @param days 0: kept for ever */
  constructor(orm: PlatformOrm, days: number, batch = 2_000) {
    this.#orm = orm;
    this.#days = days;
    this.#batch = batch;
  }

  async purgeBatch(): Promise<boolean> {
    if (this.#days === 0) return false;
    return this.#orm.em.fork().transactional(async (em) => {
      const runner = sqlRunnerOf(em);
      await forgetting(runner);
      const gone = await runner.query(
        `delete from platform.change_log where id in (
           select id from (select id, created_at from platform.change_log order by id limit $2) first
           where created_at < now() - $1 * interval '1 day') returning 1`,
        [this.#days, this.#batch],
      );
      return gone.length === this.#batch;
    });
  }
}
