import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { Sql } from '../../foundation/database/pool.ts';
import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { quoteIdentifier, type Model } from '../../platform/metadata/models/model.ts';
import type { Permissions } from '../../platform/metadata/permissions/permissions.ts';
import { compileFilters, escapeLike } from './filter-condition.ts';
import type { ListQuery } from './list-query.ts';
import { Parameters } from './parameters.ts';
import { compileRowRules } from './row-rules.ts';

/**
 * The alias under which a statement carries the total beside the records; no field code can look like this.
 */
export const TOTAL = '__total';

/**
 * Both tenant walls in one statement. The first is the explicit `tenant_id = $1` of `conditions`; the second
 * is row-level security, which needs the tenant as a setting. Setting it in a materialised CTE that the
 * lateral subquery depends on makes Postgres evaluate it first, so a read stays a single round trip without a
 * transaction of its own. The subquery needs a LIMIT or an aggregate: Postgres merges a plain one into the
 * outer query, concludes from both walls that the setting must equal `$1`, and checks that once before
 * anything else, so before the setting is made. `$1` is the tenant because `visibleRows` is the first to add
 * parameters.
 */
export const WALL = `with wall as materialized (select set_config('keelson.tenant_id', $1::text, true) as tenant)`;
/** Ties a subquery to the wall; without it Postgres might read the table first. */
export const BEHIND_WALL = 'wall.tenant is not null';

/** The statement of a list, or of its parts. `total` says whether the statement counts, too. */
export function listStatement(model: Model, actor: Actor, query: ListQuery, total: boolean, errors: FieldErrors): Sql {
  const parameters = new Parameters();
  const where = conditions(model, actor, query, parameters, errors);
  const order = orderBy(model, [{ fieldName: query.sortField, order: query.sortOrder }]);
  // The limit stands in the text (`parseListQuery` made it a number): unknown, it would make the generic plan
  // look so expensive that Postgres plans every execution anew, which takes three times as long as the first
  // page itself.
  const skipped = (query.pageNum - 1) * query.pageSize;
  const offset = skipped === 0 ? '' : ` offset ${parameters.add(skipped)}::bigint`;
  const page = `select ${columns(model, actor.permissions)} from ${model.table} t where ${where} order by ${order} limit ${query.pageSize}${offset}`;
  const text = total
    ? `${WALL} select c."${TOTAL}", r.* from wall cross join lateral (select count(*)::int as "${TOTAL}" from ${model.table} t where ${where}) c left join lateral (${page}) r on true`
    : `${WALL} select r.* from wall cross join lateral (${page}) r`;
  return { text, values: parameters.values };
}

/** The planner's guess at how many records a list finds: EXPLAIN as JSON, nothing is executed. */
export function estimateStatement(model: Model, actor: Actor, query: ListQuery, errors: FieldErrors): Sql {
  const parameters = new Parameters();
  const where = conditions(model, actor, query, parameters, errors);
  const text = `explain (format json) ${WALL} select r.* from wall cross join lateral (select t.id from ${model.table} t where ${where}) r`;
  return { text, values: parameters.values };
}

/** The statement that reads one live record by its pid. */
export function detailStatement(model: Model, actor: Actor, pid: string): Sql {
  const parameters = new Parameters();
  const where = [...visibleRows(model, actor, parameters), BEHIND_WALL];
  where.push(`t.pid = ${parameters.add(pid)}`);
  const text = `${WALL} select r.* from wall cross join lateral (select ${columns(model, actor.permissions)} from ${model.table} t where ${where.join(' and ')} limit 1) r`;
  return { text, values: parameters.values };
}

export interface SortField {
  readonly fieldName: string;
  readonly order: 'asc' | 'desc';
}

/**
 * ORDER BY of checked fields: records without a value come last in both directions, ties are broken by `id`.
 */
export function orderBy(model: Model, sortFields: readonly SortField[]): string {
  const parts = sortFields.map(({ fieldName, order }) => {
    const content = model.fields.get(fieldName)?.content;
    // Where no value can be missing, `nulls last` would only keep Postgres from reading an ascending index
    // backwards.
    const nulls = order === 'desc' && content && !content.required ? ' nulls last' : '';
    return `t.${quoteIdentifier(fieldName)} ${order}${nulls}`;
  });
  if (sortFields.at(-1)?.fieldName !== 'id') parts.push(`t.id ${sortFields.at(-1)?.order ?? 'desc'}`);
  return parts.join(', ');
}

/** The columns a caller may read, as they stand in a record. */
export function columns(model: Model, permissions: Permissions): string {
  return [...model.fields.values()]
    .filter(({ readPermission }) => readPermission === null || permissions.has(readPermission))
    .map(({ code }) => `t.${quoteIdentifier(code)}`)
    .join(', ');
}

/**
 * What of a table the caller sees: the tenant's live records, within the row rules. Reads get this filter
 * here alone.
 */
export function visibleRows(model: Model, actor: Actor, parameters: Parameters): string[] {
  const tenant = parameters.add(actor.tenantId);
  const rules = compileRowRules(model, actor, parameters);
  return [`t.tenant_id = ${tenant}::bigint`, 't.deleted_at is null', ...rules];
}

function conditions(
  model: Model,
  actor: Actor,
  { filters, keyword }: ListQuery,
  parameters: Parameters,
  errors: FieldErrors,
): string {
  const parts = [...visibleRows(model, actor, parameters), BEHIND_WALL];
  parts.push(...compileFilters(filters, model, actor.permissions, parameters, errors));
  if (keyword !== null) parts.push(keywordCondition(model, actor.permissions, keyword, parameters));
  return parts.join(' and ');
}

/** A keyword looks into the searchable fields that the caller may read, wherever it stands, ignoring case. */
function keywordCondition(model: Model, permissions: Permissions, keyword: string, parameters: Parameters): string {
  const fields = [...model.fields.values()].filter(
    ({ searchable, readPermission }) => searchable && (readPermission === null || permissions.has(readPermission)),
  );
  if (fields.length === 0) return 'false';
  const pattern = parameters.add(`%${escapeLike(keyword)}%`);
  return `(${fields.map(({ code }) => `t.${quoteIdentifier(code)} ilike ${pattern}`).join(' or ')})`;
}
