import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { Database, Row } from '../../foundation/database/pool.ts';
import { throwIfInvalid, type FieldErrors } from '../../foundation/errors/application-error.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import type { ListQuery } from './list-query.ts';
import type { CachedTotal } from './totals-cache.ts';
import { detailStatement, estimateStatement, listStatement, TOTAL } from './record-select.ts';

/** A record as JSON has it: the model's field codes and the system fields. Spec: "Dynamic record". */
export type RecordData = Readonly<Record<string, unknown>>;

/** Spec: "List result". `total` is null only where the caller asked for `count=none`. */
export interface ListResult {
  readonly records: RecordData[];
  readonly total: number | null;
  readonly pageNum: number;
  readonly pageSize: number;
}

/** Reads of dynamic records. Each is one statement, and finds nothing of another tenant. */
export class RecordsService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * @param cached the total as Redis knows it; where it still holds, it saves the count
   * @throws VALIDATION_ERROR for wrong filters; FORBIDDEN for filters on fields the caller may not read
   */
  async list(actor: Actor, model: Model, query: ListQuery, cached: CachedTotal | null = null): Promise<ListResult> {
    // A question asked with an older snapshot does not count: the page may have become another model's.
    const current = cached?.metadataVersion === actor.metadata.version ? cached : null;
    const knownTotal = current?.total ?? null;
    const errors: FieldErrors = {};
    const mustCount = query.count === 'exact' && knownTotal === null;
    const { text, values } = listStatement(model, actor, query, mustCount, errors);
    throwIfInvalid(errors);
    const rows = await this.#database.queryRecords(text, values);
    const { pageNum, pageSize } = query;
    if (mustCount) {
      const total = Number(rows[0]?.[TOTAL]);
      current?.remember(total);
      return { records: rows.filter(({ pid }) => pid !== null).map(withoutTotal), total, pageNum, pageSize };
    }
    const total = query.count === 'estimate' ? await this.#estimate(actor, model, query) : knownTotal;
    return { records: rows, total: query.count === 'none' ? null : total, pageNum, pageSize };
  }

  /** The record, or null when it is missing, deleted, another tenant's, or hidden by a row rule. */
  async getById(actor: Actor, model: Model, pid: string): Promise<RecordData | null> {
    if (!/^[0-9A-Za-z]{1,32}$/.test(pid)) return null;
    const { text, values } = detailStatement(model, actor, pid);
    const [record] = await this.#database.queryRecords(text, values);
    return record ?? null;
  }

  async #estimate(actor: Actor, model: Model, query: ListQuery): Promise<number> {
    const { text, values } = estimateStatement(model, actor, query, {});
    const [row] = await this.#database.queryRecords<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      text,
      values,
    );
    return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
  }
}

function withoutTotal(row: Row): RecordData {
  const { [TOTAL]: _total, ...record } = row;
  return record;
}
