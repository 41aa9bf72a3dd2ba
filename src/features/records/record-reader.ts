import type { Actor } from '../../platform/auth/requests/actor.ts';
import { isPid } from '../../foundation/database/pid.ts';
import type { Database, Row } from '../../foundation/database/pool.ts';
import type { SecretBox } from '../../foundation/secrets/secret-box.ts';
import { ALL_PERMISSIONS, type Permissions } from '../../platform/metadata/permissions/permissions.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import type { AggregateBody } from './aggregates/aggregate-schema.ts';
import { aggregateStatement, type AggregateStatement } from './aggregates/aggregate-statement.ts';
import { statsStatement, toStats, type Stats, type StatsField } from './aggregates/record-stats.ts';
import { Cursors, walkOf, wrongCursor } from './query/cursor.ts';
import { expandRecords } from './query/expand-records.ts';
import type { Expansion } from './query/expansion.ts';
import type { RecordQuery } from './query/record-query.ts';
import { detailStatement, placeStatement, RecordSelect, TOTAL } from './query/record-select.ts';
import { CAPPED_TOTAL } from './records.limits.ts';
import type { CachedTotal } from './totals-cache.ts';

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
   * @param cached the total as Redis knows it; where it still holds, it saves the count
   * @throws VALIDATION_ERROR for wrong filters or a wrong cursor; FORBIDDEN for filters on fields the caller
   *   may not read
   */
  async list(actor: Actor, model: Model, query: RecordQuery, cached: CachedTotal | null = null): Promise<ListResult> {
    const select = new RecordSelect(model, actor, query);
    const walk = walkOf(model, actor, query);
    const after = query.cursor === null ? null : await this.#placeAt(query.cursor, walk, actor, model, query, select);
    // A question asked with an older snapshot does not count: the page may have become another model's.
    const current = cached?.metadataVersion === actor.metadata.version && select.isRepeatable ? cached : null;
    const upTo = COUNTS_UP_TO[query.count];
    const known = current?.total ?? null;
    const { pageSize } = query;
    // One record more tells whether there is a next page, where no total does.
    const limit = upTo === Infinity && after === null ? pageSize : pageSize + 1;
    const { text, values } = select.page(limit, known === null ? upTo : null, after);
    const rows = await this.#database.queryRecords(text, values);
    const counted = upTo === null ? null : (known ?? Number(rows[0]?.[TOTAL]));
    if (counted !== null && known === null && upTo === Infinity) current?.remember(counted);
    const total = query.count === 'estimate' ? await this.#estimate(select) : counted;
    const found = rows.filter(({ pid }) => pid !== null);
    const records = found.slice(0, pageSize);
    const last = records.at(-1);
    const skipped = (query.pageNum - 1) * pageSize;
    const isLast = limit === pageSize ? skipped + records.length >= (total ?? 0) : found.length <= pageSize;
    const answered = records.map((row) => select.toRecord(row));
    await expandRecords(this.#database, actor, answered, query.expand);
    return {
      records: answered,
      ...toTotal(query, total),
      pageNum: after === null ? query.pageNum : null,
      pageSize,
      nextCursor: last === undefined || isLast ? null : this.#cursors.seal(walk, select.keyValues(last)),
    };
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

  /** Groups and measures what the caller sees. @throws VALIDATION_ERROR, FORBIDDEN as `list` */
  async aggregate(
    actor: Actor,
    model: Model,
    body: AggregateBody,
    conditions: RecordQuery['conditions'],
  ): Promise<AggregateResult> {
    const rows = await this.#aggregated(aggregateStatement(model, actor, body, conditions));
    return { rows: rows.slice(0, body.limit), truncated: rows.length > body.limit };
  }

  /** Figures of what the caller sees, field by field. @throws VALIDATION_ERROR, FORBIDDEN as `list` */
  async stats(
    actor: Actor,
    model: Model,
    fields: readonly StatsField[],
    query: Pick<RecordQuery, 'conditions' | 'keyword'>,
  ): Promise<Stats> {
    const [row = {}] = await this.#aggregated(statsStatement(model, actor, fields, query));
    return toStats(fields, row);
  }

  async #aggregated({ text, values, names }: AggregateStatement): Promise<RecordData[]> {
    const rows = await this.#database.queryRecords(text, values);
    return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[`o${index}`]])));
  }

  /** The values of the keys at a cursor. @throws VALIDATION_ERROR */
  async #placeAt(
    cursor: string,
    walk: string,
    actor: Actor,
    model: Model,
    { sortFields }: RecordQuery,
    { keys }: RecordSelect,
  ): Promise<readonly unknown[]> {
    const place = this.#cursors.open(walk, keys, cursor);
    if ('values' in place) return place.values;
    if (keys.length === 1) return [place.id];
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
