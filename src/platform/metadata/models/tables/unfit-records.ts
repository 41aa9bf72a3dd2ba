import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import { text, type Message } from '../../../../foundation/i18n/text.ts';
import type { ExistingTable } from './existing-table.ts';
import { codeBefore } from './field-renames.ts';
import { quoteIdentifier, tableName } from '../model.ts';
import type { TablePlan } from './model-table.ts';
import type { BuildKind } from './table-indexes.ts';
import type { TableRule } from './table-rules.ts';

export const LACKS_VALUES = 'has records without a value: a new field needs a default, an old one values';
export const SHARES_VALUES = 'has records that share a value';

interface UnfitRecords {
  readonly field: string;
  readonly option: 'unique' | 'required';
  /** Where the rule over several fields stands in the content. */
  readonly path?: string;
  readonly problem: Message;
}

export interface BrokenRule {
  readonly path: string;
  readonly fields: readonly string[];
  readonly rows: number;
  readonly problem: Message;
}

interface Search {
  readonly option: UnfitRecords['option'];
  /** The records that stand in the way; `column` is quoted. */
  readonly from: (table: string, column: string) => string;
  readonly problem: (count: number) => Message;
}

const SEARCHES: Partial<Record<BuildKind, Search>> = {
  UNIQUE_INDEX: {
    option: 'unique',
    from: (table, column) =>
      `(select count(*) over (partition by tenant_id, ${column}) as n from ${table}
        where deleted_at is null and ${column} is not null) t where n > 1`,
    problem: (count) => text('{count} records share a value', { count }),
  },
  NOT_NULL: {
    option: 'required',
    from: (table, column) => `${table} where ${lacksValue(column)}`,
    problem: (count) => text('{count} records have no value', { count }),
  },
};

/** SQL: whether a record has no value, as `required` means it: a blank text is none. */
export function lacksValue(column: string): string {
  return `coalesce(${column}::text, '') !~ '[^[:space:]]'`;
}

/**
 * The rules that records of the table break today, so that their builds would fail. Locks nothing: a record
 * that is written meanwhile fails the build. In a transaction that has read a `TableCatalog`.
 */
export async function unfitRecords(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  { deferrable: builds, exclusions }: Pick<TablePlan, 'deferrable' | 'exclusions'>,
  existing: ExistingTable,
): Promise<UnfitRecords[]> {
  const found: UnfitRecords[] = [];
  for (const { kind, fieldCode: field, rule } of builds) {
    if (rule) continue;
    const search = existing.columns.has(field) ? SEARCHES[kind] : undefined;
    if (!search) continue;
    const { option, problem, from } = search;
    const column = quoteIdentifier(codeBefore(existing, field));
    const [row] = await sqlRunnerOf(em).query<{ count: number }>(
      `select count(*)::int as count from ${from(tableName(environment, modelCode), column)}`,
    );
    if (row && row.count > 0) found.push({ field, option, problem: problem(row.count) });
  }
  const rules = [...builds.flatMap(({ rule }) => rule ?? []), ...exclusions.map(({ rule }) => rule)];
  for (const broken of await brokenRules(em, environment, modelCode, rules, existing)) {
    found.push({ field: broken.fields[0] ?? '', option: 'unique', path: broken.path, problem: broken.problem });
  }
  return found;
}

/** The rules over several fields that records of the table break today. */
export async function brokenRules(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  rules: readonly TableRule[],
  existing: ExistingTable,
): Promise<BrokenRule[]> {
  const found: BrokenRule[] = [];
  for (const { kind, path, fields, columns, breaking } of rules) {
    // A field without a column is in no record yet.
    if (!columns.every((code) => existing.columns.has(code))) continue;
    const from = breaking(tableName(environment, modelCode), (code) => codeBefore(existing, code));
    const [row] = await sqlRunnerOf(em).query<{ count: number }>(`select count(*)::int as count from ${from}`);
    const count = row?.count ?? 0;
    const problem =
      kind === 'EXCLUSION'
        ? text('{count} records overlap others, or end before they begin', { count })
        : text('{count} records share values', { count });
    if (count > 0) found.push({ path, fields, rows: count, problem });
  }
  return found;
}
