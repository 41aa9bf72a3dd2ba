import type { Database } from '../../../foundation/database/pool.ts';
import type { Paging } from '../../../foundation/http/paging.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { Parameters } from '../query/parameters.ts';
import { BEHIND_WALL, columns, reachableRows, WALL } from '../query/record-select.ts';
import type { RecordData } from '../record-reader.ts';

/**
 * A page of the deleted records that the actor would see if they were there, the last one first. The last
 * change of a deleted record is its deletion.
 */
export async function listTrash(
  database: Database,
  actor: Actor,
  model: Model,
  { pageNum, pageSize }: Paging,
): Promise<{ records: RecordData[]; total: number } & Paging> {
  const parameters = new Parameters();
  const where = [...reachableRows(model, actor, parameters), 't.deleted_at is not null', BEHIND_WALL].join(' and ');
  const page = `limit ${parameters.add(pageSize)}::int offset ${parameters.add((pageNum - 1) * pageSize)}::int`;
  const records = `select ${columns(model, actor.permissions)}, t.deleted_at, t.updated_by as deleted_by
    from ${model.table} t where ${where} order by t.deleted_at desc, t.id desc ${page}`;
  const rows = await database.queryRecords(
    `${WALL} select c.total as "__total", r.* from wall
     cross join lateral (select count(*)::int as total from ${model.table} t where ${where}) c
     left join lateral (${records}) r on true`,
    parameters.values,
  );
  const total = Number(rows[0]?.__total ?? 0);
  const found = rows.filter(({ pid }) => pid !== null).map(({ __total, ...record }) => record);
  return { records: found, total, pageNum, pageSize };
}
