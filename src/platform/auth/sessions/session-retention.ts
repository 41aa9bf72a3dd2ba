import { sqlRunnerOf, type PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';

/** Deletes sessions with their refresh tokens, and password-reset links, some time after they expired. */
export class SessionRetention implements Retention {
  readonly tables = ['session', 'refresh_token', 'password_reset'];
  readonly #orm: PlatformOrm;
  readonly #days: number;
  readonly #batch: number;

  /** @param days 0: kept for ever */
  constructor(orm: PlatformOrm, days: number, batch = 500) {
    this.#orm = orm;
    this.#days = days;
    this.#batch = batch;
  }

  async purgeBatch(): Promise<boolean> {
    if (this.#days === 0) return false;
    const runner = sqlRunnerOf(this.#orm.em.fork());
    const sessions = await this.#forget(runner, 'session', 'pid');
    const resets = await this.#forget(runner, 'password_reset', 'hash');
    return sessions || resets;
  }

  async #forget(runner: ReturnType<typeof sqlRunnerOf>, table: string, key: string): Promise<boolean> {
    const gone = await runner.query(
      `delete from platform.${table} where ${key} in (
         select ${key} from platform.${table} where expires_at < now() - $1 * interval '1 day'
         order by expires_at limit $2 for update skip locked) returning 1`,
      [this.#days, this.#batch],
    );
    return gone.length === this.#batch;
  }
}
