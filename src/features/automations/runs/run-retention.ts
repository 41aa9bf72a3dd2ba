import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';
import { type StreamWriter, streamedRetention } from '../../../platform/streams/stream-writer.ts';
import { RETENTION_BATCH } from '../automations.limits.ts';
import { runStreamKey } from './show/run-stream.ts';
import { stepsByIndex } from './rows/step-store.ts';

/**
 * Deletes runs that ended long ago, with their steps. A run that has caused an open run stays until that
 * ends.
 * @param days 0: runs are kept forever
 */
export function runRetention(
  orm: PlatformOrm,
  streams: StreamWriter,
  days: number,
  batch = RETENTION_BATCH,
): Retention {
  return streamedRetention({ orm, streams, days }, ['automation_run', 'automation_step'], async (sql) => {
    // A run that is being retried is locked; after that it is open.
    const gone = await sql.query<{ pid: string; retries: number }>(
      `with old as (
       select r.pid, r.finished_at, r.settled_steps
         + (select count(*) from platform.automation_step where ${stepsByIndex('open', 'r.pid')} and not settled) as steps
       from platform.automation_run r
       where r.status in ('SUCCEEDED', 'FAILED', 'CANCELLED') and r.finished_at < now() - $1 * interval '1 day'
         and not exists (select 1 from platform.automation_run c
           where c.parent_run_pid = r.pid and c.status in ('PENDING', 'RUNNING', 'WAITING'))
       order by r.finished_at limit $2 for update of r skip locked),
     counted as (select pid, sum(steps) over (order by finished_at, pid) - steps as before from old)
     delete from platform.automation_run where pid in (select pid from counted where before < $3) returning pid, retries`,
      [days, batch.runs, batch.steps],
    );
    return gone.flatMap(({ pid, retries }) =>
      Array.from({ length: retries + 1 }, (_, n) => runStreamKey({ pid, retries: n })),
    );
  });
}
