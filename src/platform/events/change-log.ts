import { columnList } from '../../foundation/database/columns.ts';
import type { RowOf } from '../../foundation/database/platform-row.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';
import type { ChangeEntity } from './change.entity.ts';

const RECORD_CHANGE = ['modelCode', 'recordPid', 'action', 'before', 'after'] as const;

/** What a command has changed of one record: the fields that it has written, before and after. */
export type RecordChange = Pick<RowOf<typeof ChangeEntity>, (typeof RECORD_CHANGE)[number]>;

/**
 * The insert of changes as part of the statement that ends their command. It returns their ids.
 * @param command the relation that holds the command's row
 * @param changes the parameter that holds them, as `toRecordset` gives them
 */
export function changeInsert(command: string, changes: string): string {
  return `insert into platform.change_log (environment, tenant_id, user_pid, execution_pid, ${columnList(RECORD_CHANGE)})
  select x.environment, x.tenant_id, x.user_pid, x.pid, ${columnList(RECORD_CHANGE, 'c')}
  from ${command} x, jsonb_populate_recordset(null::platform.change_log, ${changes}::jsonb) c
  returning id`;
}

/** A line of the change log. */
export type LoggedChange = RecordChange & { readonly id: string };

/** Lines of the change log of the tenant that the transaction works for, in their order. */
export function changesOf(transaction: SqlRunner, ids: readonly string[]): Promise<LoggedChange[]> {
  return transaction.query<LoggedChange>(
    `select id, ${columnList(RECORD_CHANGE)} from platform.change_log where id = any($1::bigint[]) order by id`,
    [ids],
  );
}

/** Lets the transaction delete lines of the change log, of all tenants. Only the owner of the table may. */
export async function forgetting(transaction: SqlRunner): Promise<void> {
  await transaction.query(`select set_config('keelson.forget', 'on', true)`);
}
