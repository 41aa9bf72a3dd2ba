import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import type { PublishedChange } from '../../resources/resource-type.ts';
import { tableName, type ComputedField } from '../model.ts';
import type { ModelContent } from '../model-content.ts';
import { COUNTED_ROWS } from '../models.limits.ts';
import { computedBuild, fieldsToCompute } from './computed-columns.ts';
import type { ExistingTable } from './existing-table.ts';
import { narrowings, type TablePlan } from './model-table.ts';
import { narrowedFields } from './narrowed-fields.ts';
import { isBigTable } from './table-catalog.ts';
import type { Deferrable } from './table-indexes.ts';

/** The weakest first. */
export const LOCK_MODES = ['share', 'share row exclusive', 'access exclusive'] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** How the statements of a plan are carried out. */
interface TableSteps {
  readonly now: readonly string[];
  /** Built after the publish, because the table is large. */
  readonly later: readonly Deferrable[];
  /** The computed fields that existing records get their values of at once. */
  readonly filled: readonly ComputedField[];
  /** What the table is locked in meanwhile; null for a new table, and where nothing of it changes. */
  readonly lockMode: LockMode | null;
}

/** What is done at once, what is built afterwards, and which lock that takes. */
export async function stepsOf(
  em: PlatformEntityManager,
  environment: string,
  { code, content, before }: PublishedChange<ModelContent>,
  { statements, deferrable }: TablePlan,
  existing: ExistingTable | null,
): Promise<TableSteps> {
  if (!existing) return { now: statements, later: [], filled: [], lockMode: null };
  const computed = fieldsToCompute(content, before, existing);
  const builds = computed.map((field) => computedBuild(environment, code, field));
  const isBig = deferrable.length + computed.length > 0 && (await isBigTable(em, environment, code));
  const later = deferrable.filter(({ name }) => isBig || existing.invalidIndexes.has(name));
  const now = withoutDeferred(statements, later);
  const steps = { now, later: [...later, ...(isBig ? builds : [])], filled: isBig ? [] : computed };
  // Between the count of values that do not fit and the change, none may be added.
  const isExclusive = narrowings(content, existing).length > 0 || now.some((one) => !one.startsWith('create'));
  if (isExclusive) return { ...steps, lockMode: 'access exclusive' };
  const isWritten = computed.length > 0 && !isBig;
  const isExcluding = isWritten || narrowedFields(content, before, existing).length > 0;
  return { ...steps, lockMode: isExcluding ? 'share row exclusive' : now.length > 0 ? 'share' : null };
}

/** What is done at once: of what is built later, only what stands in for it. */
export function withoutDeferred(statements: readonly string[], later: readonly Deferrable[]): string[] {
  const meanwhile = new Map(later.map((one) => [one.statement, one.meanwhile ?? null]));
  return statements.flatMap((statement) => {
    const other = meanwhile.get(statement);
    return other === undefined ? [statement] : other === null ? [] : [other];
  });
}

/** The records of a table, of all tenants and deleted ones too: counted as far as that is quick. */
export async function tableSize(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
): Promise<{ rows: number; isEstimate: boolean }> {
  const name = tableName(environment, modelCode);
  const [size] = await sqlRunnerOf(em).query<{ counted: number; estimated: number }>(
    `select (select count(*)::int from (select from ${name} limit $1) t) as counted,
       (select greatest(reltuples, 0)::float8 from pg_class where oid = '${name}'::regclass) as estimated`,
    [COUNTED_ROWS + 1],
  );
  const { counted = 0, estimated = 0 } = size ?? {};
  const isEstimate = counted > COUNTED_ROWS;
  return { rows: isEstimate ? Math.max(counted, Math.round(estimated)) : counted, isEstimate };
}
