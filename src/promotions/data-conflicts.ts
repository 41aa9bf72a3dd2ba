import type { SnapshotEntry } from '../environments/environment-snapshot.ts';
import type { PlatformEntityManager } from '../database/orm.ts';
import type { FieldContent, ModelContent } from '../metadata/content.ts';
import { planTable } from '../metadata/model-table.ts';
import { quoteIdentifier, tableName } from '../metadata/model.ts';
import { failingCasts, hasTrigrams, lookAtAllTenants, readTable } from '../metadata/table-catalog.ts';

/** Something about the target's records, with how many of them it concerns. */
export interface DataConflict {
  readonly type: 'DESTRUCTIVE_SCHEMA' | 'DATA_INCOMPATIBLE';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What the target's records, of all tenants, have against a change of their model. Reads the table, changes nothing. */
export async function dataConflicts(
  em: PlatformEntityManager,
  environment: string,
  source: SnapshotEntry | undefined,
  target: SnapshotEntry | undefined,
): Promise<DataConflict[]> {
  const named = source ?? target;
  if (named?.resourceType !== 'MODEL') return [];
  const existing = await readTable(em, environment, named.code);
  if (!existing) return [];
  await lookAtAllTenants(em);
  const table = new TableOfModel(em, tableName(environment, named.code));
  const before = (target?.content ?? null) as ModelContent | null;
  if (!source) {
    const rows = await table.count('deleted_at is null');
    return rows > 0 ? [destructive(`${rows} records would get out of reach`, { rows })] : [];
  }
  const after = source.content as ModelContent;
  const failing = await failingCasts(em, environment, named.code, after, existing);
  const { impossible } = planTable(environment, named.code, after, existing, await hasTrigrams(em), failing);
  const refused = Object.entries(impossible).map(([field, problem]) =>
    incompatible(`${field} ${problem}`, { field, rows: failing.get(field) }),
  );
  return [
    ...refused,
    ...(await removedFields(table, before, after, existing.columns)),
    ...(await newDemands(table, after, existing.columns)),
  ];
}

class TableOfModel {
  readonly #em: PlatformEntityManager;
  readonly table: string;

  constructor(em: PlatformEntityManager, table: string) {
    this.#em = em;
    this.table = table;
  }

  async count(where: string): Promise<number> {
    const [row] = await this.#em.execute<{ rows: number }[]>(
      `select count(*)::int as rows from ${this.table} where ${where}`,
    );
    return row?.rows ?? 0;
  }

  /** How many live records share their value with another one of their tenant. */
  async duplicates(column: string): Promise<number> {
    const [row] = await this.#em.execute<{ rows: number }[]>(
      `select coalesce(sum(n), 0)::int as rows from (
         select count(*) as n from ${this.table} where deleted_at is null and ${column} is not null
         group by tenant_id, ${column} having count(*) > 1) d`,
    );
    return row?.rows ?? 0;
  }
}

type Columns = ReadonlyMap<string, { readonly type: string; readonly notNull: boolean }>;

async function removedFields(
  table: TableOfModel,
  before: ModelContent | null,
  after: ModelContent,
  columns: Columns,
): Promise<DataConflict[]> {
  const kept = new Set(after.fields.map(({ code }) => code));
  const conflicts: DataConflict[] = [];
  for (const { code } of before?.fields ?? []) {
    if (kept.has(code) || !columns.has(code)) continue;
    const rows = await table.count(`deleted_at is null and ${quoteIdentifier(code)} is not null`);
    if (rows > 0) conflicts.push(destructive(`${code} has a value in ${rows} records`, { field: code, rows }));
  }
  return conflicts;
}

/** Fields that the new model requires, or requires to be unique, and the records that do not comply. */
async function newDemands(table: TableOfModel, after: ModelContent, columns: Columns): Promise<DataConflict[]> {
  const conflicts: DataConflict[] = [];
  for (const field of after.fields) {
    const column = columns.get(field.code);
    const rows = await missingValues(table, field, column);
    if (rows > 0)
      conflicts.push(
        incompatible(`${field.code} is required, and ${rows} records lack it`, { field: field.code, rows }),
      );
    if (!field.unique || !column) continue;
    const duplicates = await table.duplicates(quoteIdentifier(field.code));
    if (duplicates > 0) {
      conflicts.push(
        incompatible(`${field.code} is unique, and ${duplicates} records share values`, {
          field: field.code,
          rows: duplicates,
        }),
      );
    }
  }
  return conflicts;
}

async function missingValues(
  table: TableOfModel,
  field: FieldContent,
  column: { notNull: boolean } | undefined,
): Promise<number> {
  if (!field.required || column?.notNull) return 0;
  // A new column is filled with the field's default.
  if (!column && field.default !== undefined) return 0;
  return table.count(column ? `${quoteIdentifier(field.code)} is null` : 'true');
}

function destructive(message: string, details: DataConflict['details']): DataConflict {
  return { type: 'DESTRUCTIVE_SCHEMA', message, details };
}

function incompatible(message: string, details: DataConflict['details']): DataConflict {
  return { type: 'DATA_INCOMPATIBLE', message, details };
}
