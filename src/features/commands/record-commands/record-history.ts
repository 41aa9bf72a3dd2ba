import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { countHistorySince, historyOf, type HistoryLine } from '../../../platform/events/changes/change-log.ts';
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
