import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import {
  countHistorySince,
  historyOf,
  newestChange,
  type HistoryLine,
} from '../../../platform/events/changes/change-log.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { reachableRows } from '../../../platform/records/query/record-select.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import { originsOf, type Origin } from '../executions/execution-store.ts';
import { visibleChanges, type FieldChanges } from '../../../platform/records/field-selection.ts';

/** What was done to a record at one time. */
export interface HistoryEntry {
  readonly at: string;
  /** The record's version afterwards. */
  readonly version: number;
  /** `username` is null where the execution is forgotten. */
  readonly actor: { readonly userPid: string; readonly username: string | null };
  readonly action: HistoryLine['action'];
  readonly commandCode: string | null;
  readonly executionPid: string | null;
  readonly traceId: string | null;
  readonly changes: FieldChanges;
}

/**
 * What was done to a record, the newest first; of a deleted one, too.
 * @param cursor `nextCursor` of the page before
 * @throws NOT_FOUND for a record that the actor may not see
 */
export async function recordHistory(
  database: Database,
  actor: Actor,
  model: Model,
  recordPid: string,
  { cursor, pageSize }: { readonly cursor: string | null; readonly pageSize: number },
): Promise<{ records: HistoryEntry[]; nextCursor: string | null }> {
  const { tenantId, metadata } = actor;
  const record = { environment: metadata.environment, tenantId, modelCode: model.code, recordPid };
  return database.transaction(async (transaction) => {
    const [, version, newer, lines] = await Promise.all([
      setTenant(transaction, tenantId),
      versionOf(transaction, actor, model, recordPid),
      cursor === null ? 0 : countHistorySince(transaction, record, cursor),
      // One line more tells whether there is another page.
      historyOf(transaction, record, cursor, pageSize + 1),
    ]);
    if (version === null) throw notFound('There is no such record');
    const page = lines.slice(0, pageSize);
    const origins = await originsOf(
      transaction,
      page.flatMap(({ executionPid }) => executionPid ?? []),
    );
    return {
      records: page.map((line, index) => ({
        // Each change is one version.
        version: version - newer - index,
        ...present(line, origins.get(line.executionPid ?? ''), model, actor),
      })),
      nextCursor: lines.length > pageSize ? (page.at(-1)?.id ?? null) : null,
    };
  });
}

/** The version of a record, deleted or not; null for one that the actor may not see. */
export async function versionOf(
  transaction: Transaction,
  actor: Actor,
  model: Model,
  pid: string,
): Promise<number | null> {
  const parameters = new Parameters();
  const where = [...reachableRows(model, actor, parameters), `t.pid = ${parameters.add(pid)}`].join(' and ');
  const [row] = await transaction.query<{ version: number }>(
    `select t.version from ${model.table} t where ${where}`,
    parameters.values,
  );
  return row?.version ?? null;
}

/** A version of a record, and who has made it; null for a record that is gone. */
export interface NewerVersion {
  readonly pid: string;
  readonly version: number | null;
  readonly at: string | null;
  /** Null where no command has made it. */
  readonly actor: HistoryEntry['actor'] | null;
  readonly action: HistoryLine['action'] | null;
}

/**
 * The present versions of those of the records that have another one than is known, whatever callers may see.
 * @param known null: of a record that nothing is known of
 */
export async function newerVersions(
  transaction: Transaction,
  { environment, tenantId }: { readonly environment: string; readonly tenantId: string },
  model: Model,
  known: readonly { readonly pid: string; readonly version: number | null }[],
): Promise<NewerVersion[]> {
  const rows = await transaction.query<NewestLine>(
    `select k.pid, t.version, c.created_at, c.user_pid, c.execution_pid, c.action
     from unnest($1::text[], $2::int[]) k (pid, version)
     left join ${model.table} t on t.pid = k.pid and t.tenant_id = $3::bigint
     left join lateral (
       ${newestChange({ environment: '$4', tenantId: '$3', modelCode: '$5', recordPid: 'k.pid' })}) c on t.version is distinct from k.version
     where t.version is distinct from k.version`,
    [known.map(({ pid }) => pid), known.map(({ version }) => version), tenantId, environment, model.code],
  );
  const origins = await originsOf(
    transaction,
    rows.flatMap(({ executionPid }) => executionPid ?? []),
  );
  return rows.map(({ pid, version, createdAt: at, userPid, executionPid, action }) => ({
    pid,
    version,
    at,
    actor: userPid === null ? null : { userPid, username: origins.get(executionPid ?? '')?.username ?? null },
    action,
  }));
}

/** A record's version with the newest line of its history. */
interface NewestLine {
  readonly pid: string;
  readonly version: number | null;
  readonly createdAt: string | null;
  readonly userPid: string | null;
  readonly executionPid: string | null;
  readonly action: HistoryLine['action'] | null;
}

function present(
  line: HistoryLine,
  origin: Origin | undefined,
  model: Model,
  { permissions }: Actor,
): Omit<HistoryEntry, 'version'> {
  const { createdAt, userPid, action, executionPid } = line;
  return {
    at: createdAt,
    actor: { userPid, username: origin?.username ?? null },
    action,
    commandCode: origin?.commandCode ?? null,
    executionPid,
    traceId: origin?.traceId ?? null,
    changes: visibleChanges(line, model, permissions),
  };
}
