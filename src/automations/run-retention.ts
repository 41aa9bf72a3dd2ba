import type { PlatformOrm } from '../database/orm.ts';
import type { SqlRunner } from '../database/pool.ts';
import type { StreamKey } from '../streams/stream-key.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import { StreamedRetention } from '../streams/streamed-retention.ts';
import { runStreamKey } from './run-stream.ts';

/** The most that goes in one statement; a run with more steps than that goes alone. */
const BATCH = { runs: 1_000, steps: 10_000 };

/** Forgets runs that ended long ago, with their steps. One that an open run was caused by stays as long as that is open. */
export class RunRetention extends StreamedRetention {
  readonly #batch: typeof BATCH;

  /** @param days 0: runs are kept */
  constructor(orm: PlatformOrm, streams: StreamWriter, days: number, batch = BATCH) {
    super(orm, streams, days);
    this.#batch = batch;
  }

  protected async forget(sql: SqlRunner, days: number): Promise<StreamKey[]> {
    // A run that is being retried is locked, and then no longer one that has ended.
    const gone = await sql.query<{ pid: string; retries: number }>(
      `with old as (
         select r.pid, r.finished_at, (select count(*) from platform.automation_step s where s.run_pid = r.pid) as steps
         from platform.automation_run r
         where r.status in ('SUCCEEDED', 'FAILED', 'CANCELLED') and r.finished_at < now() - $1 * interval '1 day'
           and not exists (select 1 from platform.automation_run c
             where c.parent_run_pid = r.pid and c.status in ('PENDING', 'RUNNING', 'WAITING'))
         order by r.finished_at limit $2 for update of r skip locked),
       counted as (select pid, sum(steps) over (order by finished_at, pid) - steps as before from old)
       delete from platform.automation_run where pid in (select pid from counted where before < $3) returning pid, retries`,
      [days, this.#batch.runs, this.#batch.steps],
    );
    return gone.flatMap(({ pid, retries }) =>
      Array.from({ length: retries + 1 }, (_, n) => runStreamKey({ pid, retries: n })),
    );
  }
}
