import { columnList, toRecordset } from '../../foundation/database/columns.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';
import type { PlatformOrm } from '../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import type { Retention } from '../../foundation/jobs/retention.ts';
import type { StoredError } from '../../foundation/errors/failure.ts';
import { rolesOfMember } from '../../platform/auth/accounts/membership.entity.ts';
import { isSuspendedTenant } from '../../platform/auth/accounts/tenant.entity.ts';
import type { ImportProblem, ImportRecord } from './data-import.entity.ts';
import {
  IMPORT_DAYS,
  RETENTION_BATCH,
  MAX_OPEN_OF_TENANT,
  MAX_OPEN_OF_USER,
  MAX_REPORTED_ROWS,
  MAX_SHOWN_ROWS,
} from './imports.limits.ts';

const NEW_IMPORT = [
  'pid',
  'environment',
  'tenantId',
  'userId',
  'userPid',
  'username',
  'keyMadeBy',
  'keyOwnedBy',
  'keyRoles',
  'pageKey',
  'filePid',
  'format',
  'delimiter',
  'mapping',
  'mode',
  'matchOn',
  'commands',
  'dryRun',
  'locale',
  'traceId',
] as const;

export type NewImport = Pick<ImportRecord, (typeof NEW_IMPORT)[number]>;
export const OPEN = `status in ('PENDING', 'RUNNING')`;

/**
 * The statements over imports. The row is the truth: a worker finds in it what is left to do.
 */

/** False where the user or the tenant has too many that have not ended. */
export async function insertImport(runner: SqlRunner, row: NewImport): Promise<boolean> {
  const { tenantId, userPid } = row;
  const inserted = await runner.query(
    `insert into platform.data_import (${columnList(NEW_IMPORT)}, status)
     select ${columnList(NEW_IMPORT)}, 'PENDING' from json_populate_recordset(null::platform.data_import, $1::json)
     where (select count(*) from platform.data_import where tenant_id = $2 and ${OPEN}) < ${MAX_OPEN_OF_TENANT}
       and (select count(*) from platform.data_import where tenant_id = $2 and user_pid = $3 and ${OPEN}) < ${MAX_OPEN_OF_USER}
     returning pid`,
    [toRecordset([row]), tenantId, userPid],
  );
  return inserted.length === 1;
}

export async function findImport(runner: SqlRunner, pid: string): Promise<ImportRecord | null> {
  const [row] = await runner.query<ImportRecord>('select * from platform.data_import where pid = $1', [pid]);
  return row ?? null;
}

interface ListedImports extends Pick<ImportRecord, 'environment' | 'tenantId'> {
  /** Null: of all users. */
  readonly userPid: string | null;
  /** Null: in any. */
  readonly status: ImportRecord['status'] | null;
}

/** The imports of a tenant or of one user, newest first, before one of them. */
export function listImports(
  runner: SqlRunner,
  { environment, tenantId, userPid, status }: ListedImports,
  before: string | null,
  limit: number,
): Promise<ImportRecord[]> {
  return runner.query<ImportRecord>(
    `select * from platform.data_import where environment = $1 and tenant_id = $2
       and ($3::text is null or user_pid = $3) and ($4::text is null or pid < $4) and ($5::text is null or status = $5)
     order by pid desc limit $6`,
    [environment, tenantId, userPid, before, status, limit],
  );
}

/** Forgets an import whose workflow could not be started, unless it has begun after all. */
export async function withdrawImport(runner: SqlRunner, pid: string): Promise<boolean> {
  const gone = await runner.query(
    `delete from platform.data_import where pid = $1 and status = 'PENDING' and starts = 0 returning 1`,
    [pid],
  );
  return gone.length > 0;
}

/** Begins an import, or takes it up again. Null where it has ended. */
export async function beginImport(runner: SqlRunner, pid: string): Promise<ImportRecord | null> {
  const [row] = await runner.query<ImportRecord>(
    `update platform.data_import set status = 'RUNNING', starts = starts + 1, started_at = coalesce(started_at, now()),
       progress_at = now()
     where pid = $1 and ${OPEN} returning *`,
    [pid],
  );
  return row ?? null;
}

/** Forgets a start that a transient fault has ended: those that end the worker are counted alone. */
export async function takeStartBack(runner: SqlRunner, pid: string): Promise<void> {
  await runner.query('update platform.data_import set starts = starts - 1 where pid = $1 and starts > 0', [pid]);
}

export async function setTotal(runner: SqlRunner, pid: string, total: number): Promise<void> {
  await runner.query(`update platform.data_import set total = $2, progress_at = now() where pid = $1`, [pid, total]);
}

/** An import with what decides whether its user may go on with it. */
export interface LockedImport extends ImportRecord {
  /** Of the user now; null where the user is no active member of the tenant. */
  readonly userRoles: readonly string[] | null;
  /** The same of the user who answers for a program. */
  readonly ownerRoles: readonly string[] | null;
  readonly isSuspended: boolean;
}

/** Locks an import for the transaction, and gives the transaction its tenant for row-level security. */
export async function lockImport(transaction: SqlRunner, pid: string): Promise<LockedImport | null> {
  const [row] = await transaction.query<LockedImport>(
    `select i.*, set_config('keelson.tenant_id', i.tenant_id::text, true),
       ${rolesOfMember('i.tenant_id', 'i.user_pid')} as user_roles,
       ${rolesOfMember('i.tenant_id', 'i.key_owned_by')} as owner_roles,
       ${isSuspendedTenant('i.tenant_id')} as is_suspended
     from platform.data_import i where i.pid = $1 for update of i`,
    [pid],
  );
  return row ?? null;
}

/** What a chunk of rows adds to its import. */
export interface Progress extends Pick<ImportRecord, 'position' | 'done' | 'created' | 'updated' | 'failed'> {
  readonly problems: readonly Omit<ImportProblem, 'id' | 'importPid'>[];
}

/** Writes down what a chunk has done, in its transaction. */
export async function addProgress(transaction: SqlRunner, pid: string, progress: Progress): Promise<void> {
  const { position, done, created, updated, failed, problems } = progress;
  await transaction.query(
    `with counted as (
       update platform.data_import set position = $2, done = done + $3, created = created + $4, updated = updated + $5,
         failed = failed + $6, starts = 1, progress_at = now()
       where pid = $1 returning failed)
     insert into platform.data_import_problem (import_pid, row_number, "column", code, message, given)
     select $1, p.row_number, p."column", p.code, p.message,
       case when counted.failed - $6 < ${MAX_SHOWN_ROWS} then p.given end
     from json_populate_recordset(null::platform.data_import_problem, $7::json) p, counted
     where counted.failed - $6 < ${MAX_REPORTED_ROWS}`,
    [pid, position, done, created, updated, failed, toRecordset(problems)],
  );
}

/** Problems of rows, in their order; as many as fit into one read. */
export function problemsAfter(runner: SqlRunner, pid: string, id: string, limit: number): Promise<ImportProblem[]> {
  return runner.query<ImportProblem>(
    'select * from platform.data_import_problem where import_pid = $1 and id > $2 order by id limit $3',
    [pid, id, limit],
  );
}

/** Ends an import that has not ended. Null where it has. */
export async function endImport(
  runner: SqlRunner,
  pid: string,
  { status, error = null }: { status: ImportRecord['status']; error?: StoredError | null },
): Promise<ImportRecord | null> {
  const [row] = await runner.query<ImportRecord>(
    `update platform.data_import set status = $2, error = $3::json, finished_at = now()
     where pid = $1 and ${OPEN} returning *`,
    [pid, status, error && JSON.stringify(error)],
  );
  return row ?? null;
}

/** Names the files about what failed in an import that has none. */
export async function setReports(
  runner: SqlRunner,
  pid: string,
  { errorFilePid, failedRowsFilePid }: Pick<ImportRecord, 'errorFilePid' | 'failedRowsFilePid'>,
): Promise<void> {
  await runner.query(
    `update platform.data_import set error_file_pid = $2, failed_rows_file_pid = $3
     where pid = $1 and error_file_pid is null`,
    [pid, errorFilePid, failedRowsFilePid],
  );
}

/** Imports that have not ended: those that may lack a workflow, or all. */
export function openImports(
  runner: SqlRunner,
  overdueMs: number,
  silentMs: number,
  limit: number,
): Promise<ImportRecord[]> {
  return runner.query<ImportRecord>(
    `select * from platform.data_import
     where (status = 'PENDING' and created_at < now() - $1 * interval '1 ms')
        or (status = 'RUNNING' and progress_at < now() - $2 * interval '1 ms')
     order by created_at limit $3`,
    [overdueMs, silentMs, limit],
  );
}

/** Deletes imports that ended long ago, with the problems of their rows. */
export function importRetention(orm: PlatformOrm): Retention {
  return {
    tables: ['data_import', 'data_import_problem'],
    async purgeBatch() {
      const [row] = await sqlRunnerOf(orm.em.fork()).query<{ imports: number }>(
        `with old as (
           select pid from platform.data_import where finished_at < now() - $1 * interval '1 day' limit $2),
         problems as (delete from platform.data_import_problem where import_pid in (select pid from old)),
         gone as (delete from platform.data_import where pid in (select pid from old) returning 1)
         select count(*)::int as imports from gone`,
        [IMPORT_DAYS, RETENTION_BATCH],
      );
      return row?.imports === RETENTION_BATCH;
    },
  };
}
