import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { text, type Message } from '../../../../foundation/i18n/text.ts';
import type { ModelContent } from '../model-content.ts';
import type { ExistingTable } from './existing-table.ts';
import { codeBefore } from './field-renames.ts';
import { quoteIdentifier, tableName } from '../model.ts';

/** The values that are named; all are counted. */
const NAMED = 10;

export interface UnlistedValues {
  readonly field: string;
  readonly rows: number;
  readonly problem: Message;
}

/** An enum field with its present column. */
interface NarrowedEnum {
  readonly field: string;
  readonly column: string;
  readonly values: readonly string[];
}

/** The enum fields that may have lost values on the way from `before`: only their records have to be read. */
export function narrowedEnums(
  { fields }: ModelContent,
  before: ModelContent | undefined,
  existing: ExistingTable,
): NarrowedEnum[] {
  const fieldsBefore = new Map(before?.fields.map((field) => [field.code, field]));
  return fields.flatMap((field) => {
    const { code, type, values = [] } = field;
    if (type !== 'enum' || !existing.columns.has(code)) return [];
    const column = codeBefore(existing, code);
    const old = fieldsBefore.get(column);
    const isNarrowed = old?.type !== 'enum' || (old.values ?? []).some((value) => !values.includes(value));
    return isNarrowed ? [{ field: code, column, values }] : [];
  });
}

/**
 * The values in the records of all tenants, also of deleted ones, that narrowed enums no longer list. In a
 * transaction that has read a `TableCatalog`.
 */
export async function unlistedValues(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  narrowed: readonly NarrowedEnum[],
): Promise<UnlistedValues[]> {
  const found: UnlistedValues[] = [];
  for (const { field, column: stored, values } of narrowed) {
    const column = `${quoteIdentifier(stored)}::text`;
    const rows = await em.execute<{ value: string; rows: number; total: number }[]>(
      `select ${column} as value, count(*)::int as rows, (sum(count(*)) over ())::int as total
       from ${tableName(environment, modelCode)}
       where ${column} not in (select jsonb_array_elements_text(?::jsonb))
       group by 1 order by 2 desc, 1 limit ${NAMED}`,
      [JSON.stringify(values)],
    );
    const count = rows[0]?.total ?? 0;
    if (count === 0) continue;
    const names = rows.map(({ value, rows: times }) => `${value} (${times})`).join(', ');
    found.push({
      field,
      rows: count,
      problem: text('lacks values that {count} records have: {names}', { count, names }),
    });
  }
  return found;
}
