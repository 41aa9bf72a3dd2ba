import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import type { Message } from '../../../../foundation/i18n/text.ts';
import type { ExistingTable } from './existing-table.ts';
import { codeBefore } from './field-renames.ts';
import { quoteIdentifier, tableName } from '../model.ts';
import type { BuildKind, Deferrable } from './table-indexes.ts';

export const LACKS_VALUES = 'has records without a value: a new field needs a default, an old one values';
export const SHARES_VALUES = 'has records that share a value';

interface UnfitRecords {
  readonly field: string;
  readonly option: 'unique' | 'required';
  readonly problem: Message;
}

/** Finds a record that stands in the way; `{column}` is quoted. */
const SEARCHES: Partial<Record<BuildKind, Omit<UnfitRecords, 'field'> & { readonly sql: (column: string) => string }>> =
  {
    UNIQUE_INDEX: {
      option: 'unique',
      problem: SHARES_VALUES,
      sql: (column) =>
        `where deleted_at is null and ${column} is not null group by tenant_id, ${column} having count(*) > 1`,
    },
    NOT_NULL: { option: 'required', problem: LACKS_VALUES, sql: (column) => `where ${column} is null` },
  };

/**
 * The rules that records of the table break today, so that their builds would fail. Locks nothing: a record
 * that is written meanwhile fails the build. In a transaction that has read a `TableCatalog`.
 */
export async function unfitRecords(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  builds: readonly Deferrable[],
  existing: ExistingTable,
): Promise<UnfitRecords[]> {
  const found: UnfitRecords[] = [];
  for (const { kind, fieldCode: field } of builds) {
    const search = existing.columns.has(field) ? SEARCHES[kind] : undefined;
    if (!search) continue;
    const { option, problem, sql } = search;
    const rows = await em.execute<object[]>(
      `select 1 from ${tableName(environment, modelCode)} ${sql(quoteIdentifier(codeBefore(existing, field)))} limit 1`,
    );
    if (rows.length > 0) found.push({ field, option, problem });
  }
  return found;
}
