import { quoteIdentifier, type Model } from '../../platform/metadata/models/model.ts';
import type { Parameters } from './query/parameters.ts';

/** The tenant's records that are not deleted: what a writer works on. */
export function liveRecords(tenantId: string, parameters: Parameters): string[] {
  return [`t.tenant_id = ${parameters.add(tenantId)}::bigint`, 't.deleted_at is null'];
}

/** All fields of a record, whoever may read them. */
export function allColumns(model: Model): string {
  return [...model.fields.keys()].map((code) => `t.${quoteIdentifier(code)}`).join(', ');
}
