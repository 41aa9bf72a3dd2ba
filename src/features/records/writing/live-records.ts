import { quoteIdentifier, type Model } from '../../../platform/metadata/models/model.ts';
import type { ColumnValues } from '../payload.ts';
import type { Parameters } from '../query/parameters.ts';

/** The tenant's records that are not deleted: what a writer works on. */
export function liveRecords(tenantId: string, parameters: Parameters): string[] {
  return [`t.tenant_id = ${parameters.add(tenantId)}::bigint`, 't.deleted_at is null'];
}

/**
 * SQL: the records with these pids. One is looked up; for a list, whose length Postgres does not know when it
 * plans, it may read the table instead.
 */
export function withPids(pids: readonly unknown[], parameters: Parameters): string {
  return pids.length === 1 ? `t.pid = ${parameters.add(pids[0])}` : `t.pid = any(${parameters.add(pids)}::text[])`;
}

/** SQL: the records with these values. */
export function withValues(values: ColumnValues, parameters: Parameters): string[] {
  return [...values].map(([code, value]) => `t.${quoteIdentifier(code)} = ${parameters.add(value)}`);
}

/** All fields of a record, without permission checks. */
export function allColumns(model: Model): string {
  return [...model.fields.keys()].map((code) => `t.${quoteIdentifier(code)}`).join(', ');
}
