import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { StreamKey } from '../../../platform/streams/stream-key.ts';
import type { StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { StreamedRetention } from '../../../platform/streams/streamed-retention.ts';
import { runStreamKey } from './show/run-stream.ts';
import { inIndex } from './rows/step-store.ts';

/** Limits of one statement; a run with more steps is deleted alone. */
const BATCH = { runs: 1_000, steps: 10_000 };

/**
 * Deletes runs that ended long ago, with their steps. A run that has caused an open run stays until that
 * ends.
 */
export class RunRetention extends StreamedRetention {
  readonly tables = ['automation_run', 'automation_step'];
  readonly #batch: typeof BATCH;

  /** @param days 0: runs are kept forever */
  constructor(orm: PlatformOrm, streams: StreamWriter, days: number, batch = BATCH) {
    super(orm, streams, days);
    this.#batch = batch;
  }

  protected async deleteBatch(sql: SqlRunner, days: number): Promise<StreamKey[]> {
    // A run that is being retried is locked; after that it is open.
    const gone = await sql.query<{ pid: string; retries: number }>(
      `with old as (
         select r.pid, r.finished_at, r.settled_steps
           + (select count(*) from platform.automation_step where ${inIndex('open', 'r.pid')} and not settled) as steps
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
