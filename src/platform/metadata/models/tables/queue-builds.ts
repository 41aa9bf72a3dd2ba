import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { newPid } from '../../../../foundation/database/pid.ts';
import type { Deferrable } from './table-indexes.ts';

/**
 * Queues what is to be built, in the transaction of the publish. What is being built already goes on.
 * @param environment of the table
 */
export async function queueBuilds(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  builds: readonly Deferrable[],
): Promise<void> {
  for (const { kind, name, fieldCode, statement } of builds) {
    await em.execute(
      `insert into platform.table_build (pid, environment, model_code, field_code, kind, name, statement)
       values (?, ?, ?, ?, ?, ?, ?)
       on conflict (environment, name) do update set status = 'QUEUED', statement = excluded.statement,
         attempts = 0, failure = null, created_at = now(), started_at = null, finished_at = null
       where table_build.status <> 'BUILDING'`,
      [newPid(), environment, modelCode, fieldCode, kind, name, statement],
    );
  }
}

/**
 * Cancels the builds of a model that its next version does not want; the builder removes what they left.
 * The index of the trash belongs to the table.
 */
export async function cancelBuilds(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  wanted: ReadonlySet<string>,
): Promise<void> {
  await em.execute(
    `update platform.table_build set status = 'CANCELLED'
     where environment = ? and model_code = ? and status in ('QUEUED', 'BUILDING', 'FAILED')
       and field_code <> 'deleted_at' and name not in (select jsonb_array_elements_text(?::jsonb))`,
    [environment, modelCode, JSON.stringify([...wanted])],
  );
}
