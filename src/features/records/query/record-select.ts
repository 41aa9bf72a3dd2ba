import type { Row, Sql } from '../../../foundation/database/pool.ts';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { quoteIdentifier, type Field, type Model } from '../../../platform/metadata/models/model.ts';
import type { Permissions } from '../../../platform/metadata/permissions/permissions.ts';
import { isReadable } from './field-selection.ts';
import { Variables } from './conditions/dynamic-values.ts';
import { compileFilters, escapeLike } from './conditions/filter-condition.ts';
import { Parameters } from './parameters.ts';
import type { RecordQuery } from './record-query.ts';
import { compileRowRules } from './row-rules.ts';
import { afterRecord } from './keyset.ts';
import { joinedTo, RelatedFields } from './related-fields.ts';
import { orderBy, sortKeys, type SortField, type SortKey } from './sort-order.ts';

/**
 * The alias under which a statement carries the total beside the records; no field code can look like this.
 */
export const TOTAL = '__total';
/** The same for the value of a key that is no field of the record as it is answered. */
const KEY = '__key';

const LIVE = 't.deleted_at is null';

/**
 * Both tenant walls in one statement. The first is the explicit `tenant_id = $1` of `visibleRows`; the second
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

/** The statements of one query, over one set of parameters. */
export class RecordSelect {
  readonly #query: RecordQuery;
  readonly #columns: string;
  readonly #from: string;
  readonly #where: string;
  /** What the records are sorted by, each with the name of its value in a row. */
  readonly #keys: readonly (SortKey & { readonly alias: string })[];
  readonly #variables: Variables;
  readonly #fields: RelatedFields;
  readonly #parameters = new Parameters();

  /** @throws VALIDATION_ERROR for wrong conditions; FORBIDDEN for one on a field the caller may not read */
  constructor(model: Model, actor: Actor, query: RecordQuery) {
    const { permissions } = actor;
    this.#variables = new Variables(actor);
    this.#fields = new RelatedFields(model, actor, this.#parameters, query.literal ? undefined : this.#variables);
    const errors: FieldErrors = {};
    const { given, name } = query.conditions;
    const where = [...visibleRows(model, actor, this.#parameters), BEHIND_WALL];
    if (query.joinedTo) {
      const { join, pid } = query.joinedTo;
      where.push(joinedTo(join, actor, this.#parameters, this.#parameters.add(pid), BEHIND_WALL));
    }
    where.push(...compileFilters(given, this.#fields, this.#parameters, errors, name));
    throwIfInvalid(errors);
    if (query.keyword !== null) where.push(keywordCondition(model, permissions, query.keyword, this.#parameters));
    const shown = shownFields(model, permissions, query.fields);
    this.#query = query;
    this.#where = where.join(' and ');
    this.#keys = sortKeys(query.sortFields, this.#fields).map((key, index) => {
      const isShown = key.sql.startsWith('t.') && shown.fields.includes(key.field);
      return { ...key, alias: isShown ? key.field.code : `${KEY}${index}` };
    });
    const hidden = this.#keys.filter(({ alias }) => alias.startsWith(KEY)).map(asColumn);
    this.#from = `${model.table} t${this.#fields.joins}`;
    this.#columns = [shown.columns, ...hidden].join(', ');
  }

  /** Whether the same query finds the same records for all callers, until one of the model's is written. */
  get isRepeatable(): boolean {
    return !this.#variables.used && this.#fields.joins === '' && this.#query.joinedTo === undefined;
  }

  get keys(): readonly SortKey[] {
    return this.#keys;
  }

  /**
   * One page of the records.
   * @param limit how many; it stands in the text, as one that is unknown would make the generic plan look so
   *   expensive that Postgres plans every execution anew, which takes three times as long as the first page
   *   itself
   * @param countUpTo counts all records, too, if need be no further than this
   * @param after the values of the keys of the record before the first
   */
  page(limit: number, countUpTo: number | null, after: readonly unknown[] | null): Sql {
    const parameters = this.#parameters.copy();
    const page = after ? this.#pageAfter(after, limit, parameters) : this.#pageByNumber(limit, parameters);
    const text =
      countUpTo === null
        ? `${WALL} select r.* from wall cross join lateral (${page}) r`
        : `${WALL} select c."${TOTAL}", r.* from wall cross join lateral (${this.#count(countUpTo)}) c left join lateral (${page}) r on true`;
    return { text, values: parameters.values };
  }

  /** The planner's guess at how many records there are: EXPLAIN as JSON, nothing is executed. */
  estimate(): Sql {
    const text = `explain (format json) ${WALL} select r.* from wall cross join lateral (select t.id from ${this.#from} where ${this.#where}) r`;
    return { text, values: this.#parameters.values };
  }

  /** The values of the keys in a row of `page`. */
  keyValues(row: Row): unknown[] {
    return this.#keys.map(({ alias }) => row[alias]);
  }

  /** A row of `page` without what is not of the record. */
  toRecord(row: Row): Row {
    // To copy a row costs as much as to read it.
    if (!(TOTAL in row) && this.#keys.every(({ alias }) => !alias.startsWith(KEY))) return row;
    const { [TOTAL]: _total, ...record } = row;
    for (const { alias } of this.#keys) if (alias.startsWith(KEY)) delete record[alias];
    return record;
  }

  #pageByNumber(limit: number, parameters: Parameters): string {
    const skipped = (this.#query.pageNum - 1) * this.#query.pageSize;
    const offset = skipped === 0 ? '' : ` offset ${parameters.add(skipped)}::bigint`;
    return `${this.#select(this.#where)} limit ${limit}${offset}`;
  }

  #pageAfter(values: readonly unknown[], limit: number, parameters: Parameters): string {
    const parts = afterRecord(this.#keys, values, parameters).map(
      (range) => `${this.#select(`${this.#where} and ${range.condition}`, range.withValue)} limit ${limit}`,
    );
    if (parts.length === 1) return parts.join('');
    const order = orderBy(this.#keys.map((key) => ({ ...key, sql: `u."${key.alias}"` })));
    return `select u.* from (${parts.map((part) => `(${part})`).join(' union all ')}) u order by ${order} limit ${limit}`;
  }

  /** @param withValue whether the records may have a value of the first key */
  #select(where: string, withValue = true): string {
    const order = orderBy(this.#keys, withValue);
    return `select ${this.#columns} from ${this.#from} where ${where} order by ${order}`;
  }

  #count(upTo: number): string {
    if (upTo === Infinity) return `select count(*)::int as "${TOTAL}" from ${this.#from} where ${this.#where}`;
    const some = `select 1 from ${this.#from} where ${this.#where} limit ${upTo}`;
    return `select count(*)::int as "${TOTAL}" from (${some}) s`;
  }
}

function asColumn({ sql, alias }: { readonly sql: string; readonly alias: string }): string {
  return `${sql} as "${alias}"`;
}

/**
 * The statement for the values of the keys of one record, in their order. One that has been deleted since it
 * was read still has a place in the order; one that a row rule hides has none.
 */
export function placeStatement(model: Model, actor: Actor, sortFields: readonly SortField[], id: string): Sql {
  const parameters = new Parameters();
  const where = [...reachableRows(model, actor, parameters), BEHIND_WALL, `t.id = ${parameters.add(id)}::bigint`];
  const fields = new RelatedFields(model, actor, parameters);
  const keys = sortKeys(sortFields, fields);
  const values = keys.map((key, index) => asColumn({ ...key, alias: `${KEY}${index}` })).join(', ');
  const place = `select ${values} from ${model.table} t${fields.joins} where ${where.join(' and ')} limit 1`;
  return { text: `${WALL} select r.* from wall cross join lateral (${place}) r`, values: parameters.values };
}

/**
 * The statement that reads one live record by its pid.
 * @param readable the fields that are read; those of the actor by default
 */
export function detailStatement(model: Model, actor: Actor, pid: string, readable = actor.permissions): Sql {
  const parameters = new Parameters();
  const where = [...visibleRows(model, actor, parameters), BEHIND_WALL];
  where.push(`t.pid = ${parameters.add(pid)}`);
  const text = `${WALL} select r.* from wall cross join lateral (select ${columns(model, readable)} from ${model.table} t where ${where.join(' and ')} limit 1) r`;
  return { text, values: parameters.values };
}

/** The columns a caller may read, as they stand in a record. */
export function columns(model: Model, permissions: Permissions): string {
  return shownFields(model, permissions).columns;
}

interface ShownFields {
  readonly fields: readonly Field[];
  readonly columns: string;
}

/** All fields that callers with these permissions may read; both live as long as their snapshot. */
const allShown = new WeakMap<Permissions, WeakMap<Model, ShownFields>>();

/** @param only the codes of those that are asked for */
function shownFields(model: Model, permissions: Permissions, only: ReadonlySet<string> | null = null): ShownFields {
  const ofModels = allShown.get(permissions) ?? new WeakMap<Model, ShownFields>();
  let shown = only === null ? ofModels.get(model) : undefined;
  if (shown) return shown;
  const fields = [...model.fields.values()].filter(
    (field) => isReadable(field, permissions) && (only === null || only.has(field.code)),
  );
  shown = { fields, columns: fields.map(({ code }) => `t.${quoteIdentifier(code)}`).join(', ') };
  if (only === null) allShown.set(permissions, ofModels.set(model, shown));
  return shown;
}

/** Tenant, soft-delete and row-rule filter. Reads get it here and nowhere else. */
export function visibleRows(model: Model, actor: Actor, parameters: Parameters): string[] {
  return [...reachableRows(model, actor, parameters), LIVE];
}

/** The same with the records that are deleted. */
export function reachableRows(model: Model, actor: Actor, parameters: Parameters): string[] {
  const tenant = parameters.add(actor.tenantId);
  return [`t.tenant_id = ${tenant}::bigint`, ...compileRowRules(model, actor, parameters)];
}

/** A keyword looks into the searchable fields that the caller may read, wherever it stands, ignoring case. */
export function keywordCondition(
  model: Model,
  permissions: Permissions,
  keyword: string,
  parameters: Parameters,
): string {
  const fields = [...model.fields.values()].filter((field) => field.searchable && isReadable(field, permissions));
  if (fields.length === 0) return 'false';
  const pattern = parameters.add(`%${escapeLike(keyword)}%`);
  return `(${fields.map(({ code }) => `t.${quoteIdentifier(code)} operator(platform.~~*) ${pattern}`).join(' or ')})`;
}
