import type { Actor } from '../../auth/requests/actor.ts';
import { isPid } from '../../../foundation/database/pid.ts';
import type { Database, Row } from '../../../foundation/database/pool.ts';
import { notFound, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { ALL_PERMISSIONS, type Permissions } from '../../metadata/permissions/permissions.ts';
import type { Model } from '../../metadata/models/model.ts';
import type { AggregateStatement } from '../aggregates/aggregate-statement.ts';
import { Cursors, isWholeWalk, walkOf, wrongCursor, type CursorPlace } from '../query/cursor.ts';
import { expandRecords } from '../query/expand-records.ts';
import type { Expansion } from '../query/expansion.ts';
import type { RecordQuery } from '../query/record-query.ts';
import { detailStatement, placeStatement, TOTAL, type RecordSelect } from '../query/record-select.ts';
import { CAPPED_TOTAL } from '../records.limits.ts';
import type { CachedTotal } from '../totals-cache.ts';

/** A record as JSON has it: the model's field codes and the system fields. Spec: "Dynamic record". */
export type RecordData = Readonly<Record<string, unknown>>;

/** Spec: "List result". */
export interface ListResult {
  readonly records: RecordData[];
  /** Null for `count=none`. */
  readonly total: number | null;
  /** For `count=capped`: whether `total` is all, or there are more. */
  readonly totalRelation?: 'eq' | 'gte';
  /** Null after a cursor. */
  readonly pageNum: number | null;
  readonly pageSize: number;
  /** Cursor of the next page; null at the end. */
  readonly nextCursor: string | null;
}

/** A query whose cursor has been opened. */
export interface OpenQuery extends RecordQuery {
  /** Null for the page with the number `pageNum`. */
  readonly place: CursorPlace | null;
}

export interface AggregateResult {
  readonly rows: readonly RecordData[];
  /** Whether there are more groups than asked for. */
  readonly truncated: boolean;
}

/**
 * Reads of dynamic records. Each is one statement, and one more per relation that is expanded; none finds
 * anything of another tenant.
 */
export class RecordReader {
  readonly #database: Database;
  readonly #cursors: Cursors;

  constructor(database: Database, box: SecretBox) {
    this.#database = database;
    this.#cursors = new Cursors(box);
  }

  /**
   * The query with the place that its cursor stands for, where the query is good enough to tell.
   * @throws VALIDATION_ERROR for a cursor of another list
   */
  open(query: RecordQuery, errors: FieldErrors = {}): OpenQuery {
    const { cursor, select } = query;
    if (cursor === null || !isWholeWalk(errors)) return { ...query, place: null };
    return { ...query, place: this.#cursors.open(walkOf(query), select.keys, cursor) };
  }

  /**
   * @param cached the total as Redis knows it; where it still holds, it saves the count
   * @throws VALIDATION_ERROR for a cursor that is the id of no record
   */
  async list(query: OpenQuery, cached: CachedTotal | null = null): Promise<ListResult> {
    const { select, subject } = query;
    const { actor } = subject;
    const after = query.place === null ? null : await this.#valuesAt(query.place, query);
    // A question asked with an older snapshot does not count: the page may have become another model's.
    const current = cached?.metadataVersion === actor.metadata.version && select.isRepeatable ? cached : null;
    const upTo = COUNTS_UP_TO[query.count];
    const known = current?.total ?? null;
    const { pageSize } = query;
    // One record more tells whether there is a next page, where no total does.
    const limit = upTo === Infinity && after === null ? pageSize : pageSize + 1;
    const skipped = (query.pageNum - 1) * pageSize;
    const { text, values } = select.page(limit, known === null ? upTo : null, after, skipped);
    const rows = await this.#database.queryRecords(text, values);
    const counted = upTo === null ? null : (known ?? Number(rows[0]?.[TOTAL]));
    if (counted !== null && known === null && upTo === Infinity) current?.remember(counted);
    const total = query.count === 'estimate' ? await this.#estimate(select) : counted;
    const found = rows.filter(({ pid }) => pid !== null);
    const records = found.slice(0, pageSize);
    const last = records.at(-1);
    const isLast = limit === pageSize ? skipped + records.length >= (total ?? 0) : found.length <= pageSize;
    const answered = records.map((row) => select.toRecord(row));
    await expandRecords(this.#database, actor, answered, query.expand);
    return {
      records: answered,
      ...toTotal(query, total),
      pageNum: after === null ? query.pageNum : null,
      pageSize,
      nextCursor: last === undefined || isLast ? null : this.#cursors.seal(walkOf(query), select.keyValues(last)),
    };
  }

  /**
   * The records at the other end of a relation of one record.
   * @param query of the model at the other end
   * @throws NOT_FOUND; as `open` and `list`
   */
  async related(
    actor: Actor,
    model: Model,
    pid: string,
    { field, many, join }: Expansion,
    query: RecordQuery,
  ): Promise<ListResult> {
    const record = await this.getById(actor, model, pid);
    if (!record) throw notFound('There is no such record');
    if (join) {
      query.select.joinTo(join, pid);
      return this.list(this.open({ ...query, joinedTo: { join, pid } }));
    }
    const [code, values] = many ? [field, [pid]] : ['pid', [record[field] ?? []].flat() as string[]];
    query.select.narrow(code, values);
    const given = [query.conditions.given, { fieldName: code, operator: 'in', value: values }];
    return this.list(this.open({ ...query, conditions: { ...query.conditions, given } }));
  }

  /** The record, or null when it is missing, deleted, another tenant's, or hidden by a row rule. */
  async getById(
    actor: Actor,
    model: Model,
    pid: string,
    expand: readonly Expansion[] = [],
  ): Promise<RecordData | null> {
    const record = await this.#find(actor, model, pid);
    if (record) await expandRecords(this.#database, actor, [record], expand);
    return record;
  }

  /** The same with all of its fields: for decisions, never for answers. */
  getWhole(actor: Actor, model: Model, pid: string): Promise<RecordData | null> {
    return this.#find(actor, model, pid, ALL_PERMISSIONS);
  }

  async #find(actor: Actor, model: Model, pid: string, readable?: Permissions): Promise<Row | null> {
    if (!isPid(pid)) return null;
    const { text, values } = detailStatement(model, actor, pid, readable);
    const [record] = await this.#database.queryRecords(text, values);
    return record ?? null;
  }

  /** Groups and measures what the caller sees. */
  async aggregate(statement: AggregateStatement): Promise<AggregateResult> {
    const rows = await this.aggregated(statement);
    return { rows: rows.slice(0, statement.limit), truncated: rows.length > statement.limit };
  }

  /** The rows of a statement, one of those beyond its limit among them. */
  async aggregated({ text, values, names }: AggregateStatement): Promise<RecordData[]> {
    const rows = await this.#database.queryRecords(text, values);
    return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[`o${index}`]])));
  }

  /** The values of the keys at a place. @throws VALIDATION_ERROR */
  async #valuesAt(place: CursorPlace, { select, subject, sortFields }: RecordQuery): Promise<readonly unknown[]> {
    if ('values' in place) return place.values;
    if (select.keys.length === 1) return [place.id];
    const { model, actor } = subject;
    const { text, values } = placeStatement(model, actor, sortFields, place.id);
    const [row] = await this.#database.queryRecords(text, values);
    if (!row) throw wrongCursor('is not the id of a record');
    return Object.values(row);
  }

  async #estimate(select: RecordSelect): Promise<number> {
    const { text, values } = select.estimate();
    const [row] = await this.#database.queryRecords<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      text,
      values,
    );
    return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
  }
}

/** How far each mode counts; null: not at all. */
const COUNTS_UP_TO = { exact: Infinity, capped: CAPPED_TOTAL + 1, estimate: null, none: null };

function toTotal({ count }: RecordQuery, total: number | null): Pick<ListResult, 'total' | 'totalRelation'> {
  if (count !== 'capped' || total === null) return { total };
  return { total: Math.min(total, CAPPED_TOTAL), totalRelation: total > CAPPED_TOTAL ? 'gte' : 'eq' };
}
