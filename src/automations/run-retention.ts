import { sqlRunnerOf, type PlatformOrm } from '../database/orm.ts';
import type { Retention } from '../database/retention.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import { runStreamKey } from './run-stream.ts';

/** The most that goes in one statement; a run with more steps than that goes alone. */
const BATCH = { runs: 1_000, steps: 10_000 };

/** Forgets runs that ended long ago, with their steps. One that an open run was caused by stays as long as that is open. */
export class RunRetention implements Retention {
  readonly #orm: PlatformOrm;
  readonly #streams: StreamWriter;
  readonly #days: number;
  readonly #batch: typeof BATCH;

  /** @param days 0: runs are kept */
  constructor(orm: PlatformOrm, streams: StreamWriter, days: number, batch = BATCH) {
    this.#orm = orm;
    this.#streams = streams;
    this.#days = days;
    this.#batch = batch;
  }

  async purgeBatch(): Promise<boolean> {
    if (this.#days === 0) return false;
    // A run that is being retried is locked, and then no longer one that has ended.
    const gone = await sqlRunnerOf(this.#orm.em.fork()).query<{ pid: string; retries: number }>(
      `with old as (
         select r.pid, r.finished_at, (select count(*) from platform.automation_step s where s.run_pid = r.pid) as steps
         from platform.automation_run r
         where r.status in ('SUCCEEDED', 'FAILED', 'CANCELLED') and r.finished_at < now() - $1 * interval '1 day'
           and not exists (select 1 from platform.automation_run c
             where c.parent_run_pid = r.pid and c.status in ('PENDING', 'RUNNING', 'WAITING'))
         order by r.finished_at limit $2 for update of r skip locked),
       counted as (select pid, sum(steps) over (order by finished_at, pid) - steps as before from old)
       delete from platform.automation_run where pid in (select pid from counted where before < $3) returning pid, retries`,
      [this.#days, this.#batch.runs, this.#batch.steps],
    );
    const keys = gone.flatMap(({ pid, retries }) =>
      Array.from({ length: retries + 1 }, (_, n) => runStreamKey({ pid, retries: n })),
    );
    // What stays of them expires by itself.
    if (keys.length > 0) await this.#streams.forget(...keys).catch(() => undefined);
    return gone.length > 0;
  }
}
