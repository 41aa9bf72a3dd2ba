import type { EmptiedData } from '../../foundation/database/emptied-data.ts';
import { setTenant } from '../../foundation/database/tenant.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';
import type { FileRow } from './file.entity.ts';

/** A field of a record that names a file. */
export interface FileReference {
  readonly recordPid: string;
  readonly fieldCode: string;
  readonly filePid: string;
}

/** Where files and the records that name them are. */
export interface FileScope {
  readonly tenantId: string;
  readonly environment: string;
}

export type NamedFile = Pick<FileRow, 'pid' | 'uploadedBy' | 'contentType' | 'size' | 'attached'>;

/**
 * The files among these pids that are there, by pid. They stay as they are until the transaction, which has
 * the tenant, ends. In the order of their pids, so that two transactions wait for each other.
 */
export async function lockFiles(
  transaction: SqlRunner,
  { tenantId, environment }: FileScope,
  pids: readonly string[],
): Promise<ReadonlyMap<string, NamedFile>> {
  const files = await transaction.query<NamedFile>(
    `select pid, uploaded_by, content_type, size, attached from platform.file
     where pid = any($1) and tenant_id = $2 and environment = $3 and status = 'READY' order by pid for update`,
    [pids, tenantId, environment],
  );
  return new Map(files.map((file) => [file.pid, file]));
}

/**
 * Notes which records of a model name which files. A file that has lost its last record is out of use. All of
 * the files are locked.
 */
export async function replaceReferences(
  transaction: SqlRunner,
  { tenantId, environment }: FileScope,
  modelCode: string,
  { removed, added }: { readonly removed: readonly FileReference[]; readonly added: readonly FileReference[] },
): Promise<void> {
  const gone = columnsOf(removed);
  const made = columnsOf(added);
  // Pipelined: neither waits for the other's answer.
  await Promise.all([
    transaction.query(
      `delete from platform.file_reference r using unnest($4::text[], $5::text[], $6::text[]) as g (record, field, file)
       where r.tenant_id = $1 and r.environment = $2 and r.model_code = $3
         and r.record_pid = g.record and r.field_code = g.field and r.file_pid = g.file`,
      [tenantId, environment, modelCode, ...gone],
    ),
    transaction.query(
      `insert into platform.file_reference (tenant_id, environment, model_code, record_pid, field_code, file_pid)
       select $1, $2, $3, * from unnest($4::text[], $5::text[], $6::text[])
       on conflict (record_pid, model_code, field_code, environment) do update set file_pid = excluded.file_pid`,
      [tenantId, environment, modelCode, ...made],
    ),
    transaction.query('update platform.file set attached = true where tenant_id = $1 and pid = any($2)', [
      tenantId,
      made[2],
    ]),
    retireUnnamed(transaction, tenantId, gone[2]),
  ]);
}

/** A record has gone for good, and names no file any more. */
export async function forgetRecord(
  transaction: SqlRunner,
  scope: FileScope,
  modelCode: string,
  recordPid: string,
): Promise<void> {
  const named = [scope.tenantId, scope.environment, modelCode, recordPid];
  const where = 'tenant_id = $1 and environment = $2 and model_code = $3 and record_pid = $4';
  const references = await transaction.query<{ filePid: string }>(
    `select file_pid from platform.file_reference where ${where}`,
    named,
  );
  if (references.length === 0) return;
  const pids = references.map(({ filePid }) => filePid);
  await lockFiles(transaction, scope, pids);
  await transaction.query(`delete from platform.file_reference where ${where}`, named);
  await retireUnnamed(transaction, scope.tenantId, pids);
}

/** The models and fields whose records name any of these files. */
export function fieldsNaming(
  runner: SqlRunner,
  { tenantId, environment }: FileScope,
  pids: readonly string[],
): Promise<{ modelCode: string; fieldCode: string }[]> {
  return runner.query(
    `select distinct model_code, field_code from platform.file_reference
     where file_pid = any($1) and tenant_id = $2 and environment = $3`,
    [pids, tenantId, environment],
  );
}

/** SQL: the pids of the records whose field names a file. All three are expressions. */
export function recordsNaming(filePid: string, modelCode: string, fieldCode: string): string {
  return `select r.record_pid from platform.file_reference r
    where r.file_pid = ${filePid} and r.model_code = ${modelCode} and r.field_code = ${fieldCode}`;
}

/** The collector removes what is out of use. */
async function retireUnnamed(transaction: SqlRunner, tenantId: string, pids: readonly string[]): Promise<void> {
  await transaction.query(
    `update platform.file f set attached = false, status = 'REMOVED', expires_at = now()
     where f.tenant_id = $1 and f.pid = any($2) and f.attached
       and not exists (select from platform.file_reference r where r.file_pid = f.pid)`,
    [tenantId, pids],
  );
}

function columnsOf(references: readonly FileReference[]): [string[], string[], string[]] {
  return [
    references.map(({ recordPid }) => recordPid),
    references.map(({ fieldCode }) => fieldCode),
    references.map(({ filePid }) => filePid),
  ];
}

/** The files that records of an environment name; the collector removes them. */
export const EMPTIED_FILES: EmptiedData = {
  name: 'files',
  async count(sql, environment) {
    await seeAllTenants(sql);
    const [row] = await sql.query<{ count: number }>(
      'select count(*)::int as count from platform.file where environment = $1 and attached',
      [environment],
    );
    return row?.count ?? 0;
  },
  async empty(sql, environment) {
    await seeAllTenants(sql);
    const tenants = await sql.query<{ tenantId: string }>(
      'select distinct tenant_id from platform.file where environment = $1 and attached',
      [environment],
    );
    for (const { tenantId } of tenants) {
      await setTenant(sql, tenantId);
      await sql.query('delete from platform.file_reference where environment = $1 and tenant_id = $2', [
        environment,
        tenantId,
      ]);
      await sql.query(
        `update platform.file set attached = false, status = 'REMOVED', expires_at = now()
         where environment = $1 and tenant_id = $2 and attached`,
        [environment, tenantId],
      );
    }
  },
};

/** Row-level security lets the owner see the files of all tenants; requests never do. */
function seeAllTenants(sql: SqlRunner) {
  return sql.query(`select set_config('keelson.all_tenants', 'on', true)`);
}
