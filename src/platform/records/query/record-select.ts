import type { Row, Sql } from '../../../foundation/database/pool.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import { quoteIdentifier, type Field, type Model } from '../../metadata/models/model.ts';
import type { Permissions } from '../../metadata/permissions/permissions.ts';
import { isReadable } from '../field-selection.ts';
import { Variables } from '../conditions/dynamic-values.ts';
import { compileFilters, compileTrustedFilters, escapeLike } from '../conditions/filter-condition.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import type { ListSubject } from '../pages/list-subject.ts';
import { compileRowRules, type RuleSubject } from '../conditions/row-rules.ts';
import { joinedTo, RelatedFields, type Join } from '../conditions/related-fields.ts';
import { checkSortFields, orderBy, sortKeys, type SortField, type SortKey } from '../conditions/sort-order.ts';
import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';

/**
 * The alias under which a statement carries the total beside the records; no field code can look like this.
 */
export const TOTAL = '__total';
/** The same for the value of a key that is no field of the record as it is answered. */
const KEY = '__key';
/** The same for what a path shows, whose name can be longer than Postgres lets one be. */
const PATH = '__path';

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

/** What records are asked for, and what of them. */
export interface Selection {
  /** Conditions as they are given, under the name that they have in the request. */
  readonly conditions: { readonly name: string; readonly given: unknown };
  readonly keyword: string | null;
  readonly sortFields: readonly SortField[];
  /** Where the request names the field to sort by with this index. */
  readonly sortPlace: (index: number) => string;
  /** Codes of the fields to answer, and paths to those of related records; null for all fields. */
  readonly fields: ReadonlySet<string> | null;
}

/** The statements of one query, over one set of parameters. */
export class RecordSelect {
  readonly #subject: ListSubject;
  readonly #columns: string;
  readonly #conditions: string[];
  /** What the records are sorted by, each with the name of its value in a row. */
  readonly #keys: readonly (SortKey & { readonly alias: string })[];
  /** What the records show of others, in the order of its aliases. */
  readonly #paths: readonly string[];
  readonly #variables: Variables;
  readonly #fields: RelatedFields;
  readonly #parameters = new Parameters();
  #isJoined = false;

  /**
   * @param errors collects what is wrong with conditions and order; with one, there is nothing to be read
   * @throws FORBIDDEN for a field the caller may not read
   */
  constructor(
    subject: ListSubject,
    { conditions: { given, name }, keyword, sortFields, sortPlace, fields }: Selection,
    errors: FieldErrors,
  ) {
    const { model, actor, literal = false } = subject;
    const { permissions } = actor;
    this.#subject = subject;
    this.#variables = new Variables(actor);
    this.#fields = new RelatedFields(model, actor, this.#parameters, literal ? undefined : this.#variables);
    this.#conditions = [...visibleRows(model, actor, this.#parameters), BEHIND_WALL];
    this.#conditions.push(...compileFilters(given, this.#fields, this.#parameters, errors, name));
    if (keyword !== null) this.#conditions.push(keywordCondition(model, permissions, keyword, this.#parameters));
    const shown = shownFields(model, permissions, fields);
    checkSortFields(sortFields, this.#fields, sortPlace, errors);
    const sorted = sortFields.filter((_, index) => !Object.hasOwn(errors, sortPlace(index)));
    this.#keys = sortKeys(sorted, this.#fields).map((key, index) => {
      const isShown = key.sql.startsWith('t.') && shown.fields.includes(key.field);
      return { ...key, alias: isShown ? key.field.code : `${KEY}${index}` };
    });
    const hidden = this.#keys.filter(({ alias }) => alias.startsWith(KEY)).map(asColumn);
    const related = [...(fields ?? [])].flatMap((name) => {
      const sql = name.includes('.') ? this.#fields.shown(name) : null;
      return sql === null ? [] : [{ name, sql }];
    });
    this.#paths = related.map(({ name }) => name);
    const beyond = related.map(({ sql }, index) => asColumn({ sql, alias: `${PATH}${index}` }));
    this.#columns = [shown.columns, ...hidden, ...beyond].join(', ');
  }

  /** Whether the same query finds the same records for all callers, until one of the model's is written. */
  get isRepeatable(): boolean {
    return !this.#variables.used && this.#fields.joins === '' && !this.#isJoined;
  }

  /** Leaves the records that a join leads to from the one with this pid. */
  joinTo(join: Join, pid: string): void {
    this.#isJoined = true;
    const parameters = this.#parameters;
    this.#conditions.push(joinedTo(join, this.#subject.actor, parameters, parameters.add(pid), BEHIND_WALL));
  }

  /** Leaves the records that have one of these values. @param code of a field that the caller may read */
  narrow(code: string, values: readonly string[]): void {
    const condition = { fieldName: code, operator: 'in', value: values };
    this.#conditions.push(...compileTrustedFilters([condition], this.#fields, this.#parameters));
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
   * @param skipped how many records are before the first, where there is no `after`
   */
  page(limit: number, countUpTo: number | null, after: readonly unknown[] | null, skipped = 0): Sql {
    const parameters = this.#parameters.copy();
    const page = after ? this.#pageAfter(after, limit, parameters) : this.#pageBehind(skipped, limit, parameters);
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
    const isWhole = !(TOTAL in row) && this.#paths.length === 0;
    if (isWhole && this.#keys.every(({ alias }) => !alias.startsWith(KEY))) return row;
    const { [TOTAL]: _total, ...record } = row;
    for (const { alias } of this.#keys) if (alias.startsWith(KEY)) delete record[alias];
    for (const [index, path] of this.#paths.entries()) {
      const alias = `${PATH}${index}`;
      record[path] = record[alias];
      delete record[alias];
    }
    return record;
  }

  get #from(): string {
    return `${this.#subject.model.table} t${this.#fields.joins}`;
  }

  get #where(): string {
    return this.#conditions.join(' and ');
  }

  #pageBehind(skipped: number, limit: number, parameters: Parameters): string {
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
export function visibleRows(model: Model, actor: RuleSubject, parameters: Parameters): string[] {
  return [...reachableRows(model, actor, parameters), LIVE];
}

/** The same with the records that are deleted. */
export function reachableRows(model: Model, actor: RuleSubject, parameters: Parameters): string[] {
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

/** Records after a place: those that have a value of the first key, or those that have none. */
interface Range {
  readonly condition: string;
  readonly withValue: boolean;
}

/**
 * The records that come after the one with these values of the keys, in the order of `orderBy`: all of the
 * first range, then those of the second. Each alone is a range of an index; joined by OR they would not be.
 */
function afterRecord(keys: readonly SortKey[], values: readonly unknown[], parameters: Parameters): Range[] {
  const [first, ...rest] = keys;
  if (!first) return [];
  const slots = keys.map(({ field }, index) =>
    values[index] === null ? null : `${parameters.add(values[index])}::${FIELD_TYPES[field.type].cast}`,
  );
  const [slot = null] = slots;
  if (slot === null) return [withoutValue(`${first.sql} is null and ${after(rest, slots.slice(1))}`)];
  const condition = isRowComparison(keys, slots)
    ? `(${keys.map(({ sql }) => sql).join(', ')}) ${compares(first)} (${slots.join(', ')})`
    : `(${first.sql} ${compares(first)}= ${slot} and ${after(keys, slots)})`;
  const ranges = [{ condition, withValue: true }];
  return first.nullable ? [...ranges, withoutValue(`${first.sql} is null`)] : ranges;
}

function withoutValue(condition: string): Range {
  return { condition, withValue: false };
}

/** The whole condition for the keys from one on. A record without a value comes last. */
function after(keys: readonly SortKey[], slots: readonly (string | null)[]): string {
  const [key, ...rest] = keys;
  if (!key) return 'false';
  const [slot = null, ...others] = slots;
  const beyond = after(rest, others);
  if (slot === null) return `(${key.sql} is null and ${beyond})`;
  const later = [`${key.sql} ${compares(key)} ${slot}`];
  if (key.nullable) later.push(`${key.sql} is null`);
  if (rest.length > 0) later.push(`(${key.sql} = ${slot} and ${beyond})`);
  return `(${later.join(' or ')})`;
}

/** A comparison of rows is false where a later key has no value, and knows one direction only. */
function isRowComparison(keys: readonly SortKey[], slots: readonly (string | null)[]): boolean {
  const [first, ...rest] = keys;
  return !slots.includes(null) && rest.every(({ nullable, order }) => !nullable && order === first?.order);
}

function compares({ order }: SortKey): '<' | '>' {
  return order === 'desc' ? '<' : '>';
}
