import type { FieldErrors } from '../../../../foundation/errors/application-error.ts';
import { text } from '../../../../foundation/i18n/text.ts';
import type { ExistingTable } from './existing-table.ts';
import { quoteIdentifier } from '../model.ts';
import type { ModelContent } from '../model-content.ts';
import { indexName, INDEX_KINDS, notNullName } from './table-indexes.ts';

interface FieldRename {
  readonly from: string;
  readonly to: string;
}

/**
 * A table as it is once the columns of renamed fields have their new names, with the statements that do it.
 */
export function withRenames(
  table: string,
  modelCode: string,
  existing: ExistingTable,
  renames: readonly FieldRename[],
): ExistingTable {
  if (renames.length === 0) return existing;
  const columns = new Map(existing.columns);
  const indexes = new Set(existing.indexes);
  const checks = new Set(existing.checks);
  const statements: string[] = [];
  const schema = table.split('.')[0];
  const move = (names: Set<string>, from: string, to: string, statement: string): void => {
    if (!names.delete(from)) return;
    names.add(to);
    statements.push(statement);
  };
  for (const { from, to } of renames) {
    const column = columns.get(from);
    if (!column) continue;
    columns.delete(from);
    columns.set(to, { ...column, storedAs: from });
    statements.push(`alter table ${table} rename column ${quoteIdentifier(from)} to ${quoteIdentifier(to)}`);
    for (const kind of INDEX_KINDS) {
      const [before, after] = [indexName(modelCode, from, kind), indexName(modelCode, to, kind)];
      const rename = `alter index ${schema}.${quoteIdentifier(before)} rename to ${quoteIdentifier(after)}`;
      move(indexes, before, after, rename);
    }
    const [before, after] = [notNullName(modelCode, from), notNullName(modelCode, to)];
    const rename = `alter table ${table} rename constraint ${quoteIdentifier(before)} to ${quoteIdentifier(after)}`;
    move(checks, before, after, rename);
  }
  return { ...existing, columns, indexes, checks, renamed: statements };
}

/**
 * The columns that get another name when a model follows `before`. A model that goes back to before a rename,
 * as in a rollback, goes back with its column.
 */
export function renamesOf(
  { fields }: ModelContent,
  before: ModelContent | undefined,
  { columns }: { readonly columns: Pick<ExistingTable['columns'], 'has'> },
): FieldRename[] {
  const own = new Set(fields.map(({ code }) => code));
  const back = (before?.fields ?? []).flatMap(({ code: from, renamedFrom: to }) =>
    to !== undefined && own.has(to) ? { from, to } : [],
  );
  const forth = fields.flatMap(({ code: to, renamedFrom: from }) => (from === undefined ? [] : { from, to }));
  const possible = [...back, ...forth].filter(
    ({ from, to }) => !own.has(from) && columns.has(from) && !columns.has(to),
  );
  return [...new Map(possible.map((rename) => [rename.from, rename])).values()];
}

/** The field that a field was in the version before; its own code where it has not been renamed. */
export function codeBefore({ columns }: ExistingTable, code: string): string {
  return columns.get(code)?.storedAs ?? code;
}

/**
 * Problems of renames in view of what the model is and its table has: field -> problem.
 * @param existing from `withRenames`
 */
export function problemsOfRenames(
  { fields }: ModelContent,
  before: ModelContent | undefined,
  { columns }: ExistingTable,
): FieldErrors {
  const own = new Set(fields.map(({ code }) => code));
  const known = new Set(before?.fields.map(({ code }) => code));
  const renamed = new Set(fields.flatMap(({ renamedFrom }) => renamedFrom ?? []));
  const isLost = [...known].some((code) => !own.has(code) && !renamed.has(code));
  const problems: FieldErrors = {};
  for (const { code, renamedFrom: from } of fields) {
    if (from === undefined || own.has(from)) continue;
    const column = columns.get(code);
    if (known.has(from)) {
      if (column && column.storedAs !== from)
        problems[code] = text('the table has columns for both {from} and {code}', { from, code });
    } else if (!known.has(code) && isLost) {
      problems[code] = text('the model has no field {from}', { from });
    }
  }
  return problems;
}
