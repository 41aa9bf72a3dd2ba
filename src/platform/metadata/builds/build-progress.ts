import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import type { TableBuild } from '../models/tables/table-build.entity.ts';

/** How far Postgres is with an index. Percent of the present phase; null where it does not say. */
export interface BuildProgress {
  readonly phase: string;
  readonly percent: number | null;
}

/** By the name of the model: a table has one build at a time. */
export async function buildProgress(
  orm: PlatformOrm,
  { environment, modelCode }: Pick<TableBuild, 'environment' | 'modelCode'>,
): Promise<BuildProgress | null> {
  const [row] = await sqlRunnerOf(orm.em.fork()).query<{ phase: string; percent: number | null }>(
    `select p.phase, case when p.blocks_total > 0 then floor(100.0 * p.blocks_done / p.blocks_total)
         when p.tuples_total > 0 then floor(100.0 * p.tuples_done / p.tuples_total)
         when p.lockers_total > 0 then floor(100.0 * p.lockers_done / p.lockers_total) end::int as percent
     from pg_stat_progress_create_index p join pg_class c on c.oid = p.relid
       join pg_namespace n on n.oid = c.relnamespace
     where p.datname = current_database() and n.nspname = $1 and c.relname = $2`,
    [environment, `mt_${modelCode}`],
  );
  return row ?? null;
}
