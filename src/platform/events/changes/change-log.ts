import { columnList, type RowOf } from '../../../foundation/database/columns.ts';
import { rowsOfEnvironment } from '../../../foundation/database/emptied-data.ts';
import type { SqlRunner, Transaction } from '../../../foundation/database/pool.ts';
import { MAX_RECORDS_LENGTH } from '../../../foundation/database/result-types.ts';
import type { ChangeEntity } from './change.entity.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';

const RECORD_CHANGE = ['modelCode', 'recordPid', 'action', 'before', 'after', 'unchanged'] as const;

/**
 * What a command has changed of one record: the fields that it has written, before and after, and the others.
 */
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

/**
 * The same for changes of several commands, each of which names its `executionPid`. It returns that as well.
 */
export function changesInsert(commands: string, changes: string): string {
  return `insert into platform.change_log (environment, tenant_id, user_pid, execution_pid, ${columnList(RECORD_CHANGE)})
  select x.environment, x.tenant_id, x.user_pid, x.pid, ${columnList(RECORD_CHANGE, 'c')}
  from jsonb_populate_recordset(null::platform.change_log, ${changes}::jsonb) c join ${commands} x on x.pid = c.execution_pid
  returning id, execution_pid`;
}

const VALUES = new Set(['before', 'after', 'unchanged']);

/** Columns of lines, in which values stand under the codes that their fields have today. */
function presentColumns(names: readonly string[]): string {
  const given = names.map((name) =>
    VALUES.has(name)
      ? `platform.under_present_codes(${name}, environment, model_code, created_at) as ${name}`
      : columnList([name]),
  );
  return given.join(', ');
}

/** A line of the change log. */
type LoggedChange = RecordChange & { readonly id: string };

/** Lines of the change log of the tenant that the transaction works for, in their order. */
export function changesOf(transaction: SqlRunner, ids: readonly string[]): Promise<LoggedChange[]> {
  return transaction.query<LoggedChange>(
    `select id, ${presentColumns(RECORD_CHANGE)} from platform.change_log where id = any($1::bigint[]) order by id`,
    [ids],
  );
}

const HISTORY_LINE = ['id', 'action', 'before', 'after', 'userPid', 'executionPid', 'createdAt'] as const;

/** A line of a record's history. */
export type HistoryLine = Pick<RowOf<typeof ChangeEntity>, (typeof HISTORY_LINE)[number]>;

/** The record that lines of the change log are about. */
interface RecordName {
  readonly environment: string;
  readonly tenantId: string;
  readonly modelCode: string;
  readonly recordPid: string;
}

/**
 * The newest lines about a record of the transaction's tenant, before a line where one is named.
 * @throws CONFLICT (TOO_LARGE)
 */
export function historyOf(
  transaction: Transaction,
  { environment, tenantId, modelCode, recordPid }: RecordName,
  beforeId: string | null,
  limit: number,
): Promise<HistoryLine[]> {
  return transaction.query<HistoryLine>(
    `select ${presentColumns(HISTORY_LINE)} from platform.change_log
     where environment = $1 and tenant_id = $2 and model_code = $3 and record_pid = $4
       and ($5::bigint is null or id < $5) order by id desc limit $6`,
    [environment, tenantId, modelCode, recordPid, beforeId, limit],
    MAX_RECORDS_LENGTH,
  );
}

/** How many lines about a record are not older than one. */
export async function countHistorySince(
  transaction: SqlRunner,
  { environment, tenantId, modelCode, recordPid }: RecordName,
  id: string,
): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `select count(*)::int as count from platform.change_log
     where environment = $1 and tenant_id = $2 and model_code = $3 and record_pid = $4 and id >= $5`,
    [environment, tenantId, modelCode, recordPid, id],
  );
  return row?.count ?? 0;
}

/** Lets the transaction delete lines of the change log, of all tenants. Only the owner of the table may. */
async function forgetting(transaction: SqlRunner): Promise<void> {
  await transaction.query(`select set_config('keelson.forget', 'on', true)`);
}

/**
 * Erases the history of a record, in a transaction of the owner that has its tenant.
 * @returns its executions
 */
export async function eraseHistory(
  transaction: SqlRunner,
  { environment, tenantId, modelCode, recordPid }: RecordName,
): Promise<string[]> {
  await forgetting(transaction);
  const lines = await transaction.query<Pick<HistoryLine, 'executionPid'>>(
    `delete from platform.change_log
     where environment = $1 and tenant_id = $2 and model_code = $3 and record_pid = $4 returning execution_pid`,
    [environment, tenantId, modelCode, recordPid],
  );
  return [...new Set(lines.flatMap(({ executionPid }) => executionPid ?? []))];
}

/**
 * SQL: whether an execution has changed a record.
 * @param execution the alias of its row
 * @param modelCodes the parameter with the models that the record can be of: the index begins with them
 */
export function hasChangedRecord(execution: string, modelCodes: string, recordPid: string): string {
  return `${execution}.pid in (select c.execution_pid from platform.change_log c
    where c.environment = ${execution}.environment and c.tenant_id = ${execution}.tenant_id
      and c.model_code = any(${modelCodes}) and c.record_pid = ${recordPid})`;
}

/**
 * Forgets the oldest history of records. Ids grow with time, so the oldest lines are the first of the primary
 * key: no other index is needed, which each command would have to keep.
 */
export function changeRetention(orm: PlatformOrm, days: number, batch = 2_000): Retention {
  return {
    tables: ['change_log'],
    async purgeBatch() {
      if (days === 0) return false;
      return orm.em.fork().transactional(async (em) => {
        const runner = sqlRunnerOf(em);
        await forgetting(runner);
        const gone = await runner.query(
          `delete from platform.change_log where id in (
             select id from (select id, created_at from platform.change_log order by id limit $2) first
             where created_at < now() - $1 * interval '1 day') returning 1`,
          [days, batch],
        );
        return gone.length === batch;
      });
    },
  };
}

/** SQL that selects the newest change of a record, whose names are SQL, too. */
export function newestChange(of: {
  readonly environment: string;
  readonly tenantId: string;
  readonly modelCode: string;
  readonly recordPid: string;
}): string {
  return `select created_at, user_pid, execution_pid, action from platform.change_log
    where environment = ${of.environment} and tenant_id = ${of.tenantId}::bigint and model_code = ${of.modelCode}
      and record_pid = ${of.recordPid}
    order by id desc limit 1`;
}

/** The history of all records of an environment. */
export const EMPTIED_HISTORY = rowsOfEnvironment('history', 'platform.change_log', { prepare: forgetting });
