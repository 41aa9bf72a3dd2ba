import { DAY_MS } from '../../../foundation/durations.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { rowsOfEnvironment } from '../../../foundation/database/emptied-data.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { firstPidAt } from '../../../foundation/database/pid.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';

/** What a reset removes. */
export const EMPTIED_EXECUTIONS = rowsOfEnvironment('executions', 'platform.command_execution');

const ENDED = `status in ('SUCCEEDED', 'FAILED', 'CANCELLED')`;

/**
 * Erases payloads and results of old commands, and later deletes the commands. Pids grow with time, so the
 * primary key finds the old ones. A row keeps the position of the erasure, because the commands stay.
 * @param days 0: kept for ever
 */
export function executionRetention(
  orm: PlatformOrm,
  { payloads, rows }: { readonly payloads: number; readonly rows: number },
  batch = 1_000,
): Retention {
  return {
    tables: ['command_execution'],
    purgeBatch: () =>
      orm.em.fork().transactional(async (em) => {
        const runner = sqlRunnerOf(em);
        const isMore = payloads > 0 && (await forgetPayloads(runner, before(payloads), batch));
        return (rows > 0 && (await forgetRows(runner, before(rows), batch))) || isMore;
      }),
  };
}

async function forgetPayloads(runner: SqlRunner, end: string, batch: number): Promise<boolean> {
  const [done] = await runner.query<{ executions: number }>(
    `with reached as (
       select position from platform.purge_position where name = 'execution_payloads' for update),
     batch as (
       select pid from platform.command_execution
       where pid >= (select position from reached) and pid < $1 order by pid limit $2),
     forgotten as (
       update platform.command_execution
       set payload = '{}', result = null, error = (error::jsonb - 'data')::json
       where pid in (select pid from batch) and ${ENDED}),
     moved as (
       update platform.purge_position set position = (select max(pid) from batch) || '0'
       where name = 'execution_payloads' and exists (select 1 from batch))
     select count(*)::int as executions from batch`,
    [end, batch],
  );
  return done?.executions === batch;
}

async function forgetRows(runner: SqlRunner, end: string, batch: number): Promise<boolean> {
  const gone = await runner.query(
    `delete from platform.command_execution where pid in (
       select pid from platform.command_execution where pid < $1 and ${ENDED} order by pid limit $2) returning 1`,
    [end, batch],
  );
  return gone.length === batch;
}

function before(days: number): string {
  return firstPidAt(new Date(Date.now() - days * DAY_MS));
}
