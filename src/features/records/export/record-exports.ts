import { addAbortSignal, Readable } from 'node:stream';
import pLimit from 'p-limit';
import { newPid } from '../../../foundation/database/pid.ts';
import { isTooLarge } from '../../../foundation/database/result-types.ts';
import { unavailable, validationError } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { Leases } from '../../../foundation/redis/leases.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { RecordQuery } from '../query/record-query.ts';
import type { ListResult, RecordReader } from '../record-reader.ts';
import type { AskedExport } from './asked-export.ts';
import type { Encoder } from './encoder.ts';
import { columnsOf } from './export-column.ts';
import { EXPORT_FORMATS } from './export-format.ts';
import {
  EXPORT_LEASE_MS,
  EXPORT_PAGE_BYTES,
  EXPORT_PAGE_RECORDS,
  EXPORT_POOL_SHARE,
  MAX_EXPORTED_RECORDS,
  MAX_EXPORTS_OF_NODE,
  MAX_EXPORTS_OF_USER,
  MAX_EXPORT_MS,
} from './export.limits.ts';

/** The list whose pages are walked, and how they are written. */
interface Walk {
  readonly actor: Actor;
  readonly model: Model;
  readonly query: RecordQuery;
  readonly encoder: Encoder;
}

/**
 * Writes whole lists into files. It walks by cursor, page by page, so no connection waits for a slow client;
 * each page is what a list with the same rights would answer.
 */
export class RecordExports {
  readonly #reader: RecordReader;
  readonly #leases: Leases;
  readonly #logger: Logger;
  readonly #limit: ReturnType<typeof pLimit>;
  #running = 0;

  constructor(reader: RecordReader, store: RedisStore, poolSize: number, logger: Logger) {
    this.#reader = reader;
    this.#logger = logger;
    this.#limit = pLimit(Math.max(1, Math.floor(poolSize * EXPORT_POOL_SHARE)));
    const refusal = text('A user may have {max} exports under way', { max: MAX_EXPORTS_OF_USER });
    const limits = { maxPerUser: MAX_EXPORTS_OF_USER, leaseMs: EXPORT_LEASE_MS, refusal };
    this.#leases = new Leases(store, { kind: 'exports', ...limits });
  }

  /**
   * A whole list as a file, which is made as it is read. Whoever has it reads it to its end, or destroys it.
   * @param model narrowed by the page
   * @throws VALIDATION_ERROR for too many records, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async open(actor: Actor, model: Model, asked: AskedExport): Promise<Readable> {
    if (this.#running >= MAX_EXPORTS_OF_NODE) throw unavailable('node');
    const lease = newPid();
    const end = this.#begin(actor.userPid, lease);
    try {
      await this.#leases.acquire(actor.userPid, lease);
      const { query, codes, format, titles = null, bom = false } = asked;
      const { encoderOf, pack } = EXPORT_FORMATS[format];
      const encoder = encoderOf(columnsOf(codes, query.pageKey, model, actor, titles), { bom });
      const walk = { actor, model, query, encoder };
      const first = await this.#page(walk, null, EXPORT_PAGE_RECORDS.first);
      requireFew(first.total ?? 0);
      const records = Readable.from(this.#encode(walk, first), { objectMode: false });
      const file = addAbortSignal(AbortSignal.timeout(MAX_EXPORT_MS), pack ? pack(records) : records);
      file.once('error', (error) => this.#logger.warn({ err: error, model: model.code }, 'an export was cut off'));
      return file.once('close', end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Takes a place on this node; gives what frees it, and the lease. */
  #begin(userPid: string, lease: string): () => void {
    this.#running += 1;
    const renewal = setInterval(() => {
      this.#leases.renew(userPid, lease).catch(() => undefined);
    }, EXPORT_LEASE_MS / 3);
    return () => {
      clearInterval(renewal);
      this.#running -= 1;
      // On a failure, the lease expires.
      this.#leases.release(userPid, lease).catch(() => undefined);
    };
  }

  async *#encode(walk: Walk, first: ListResult): AsyncGenerator<string> {
    const { encoder } = walk;
    yield encoder.begin;
    let count = 0;
    for (let page = first; ;) {
      count += page.records.length;
      requireFew(count);
      const written = page.records.map((record) => encoder.record(record)).join('');
      if (written !== '') yield written;
      if (page.nextCursor === null) break;
      page = await this.#page(walk, page.nextCursor, nextSize(page.pageSize, written.length));
    }
    yield encoder.end;
  }

  /** Records can be much longer than those of the page before: then it is a smaller page. */
  async #page(walk: Walk, cursor: string | null, pageSize: number): Promise<ListResult> {
    const { actor, model, query } = walk;
    const count = cursor === null ? 'exact' : 'none';
    const page = { ...query, pageNum: 1, pageSize, count, cursor } as const;
    try {
      return await this.#limit(() => this.#reader.list(actor, model, page, null));
    } catch (error) {
      if (pageSize === 1 || !isTooLarge(error)) throw error;
      return this.#page(walk, cursor, Math.floor(pageSize / 2));
    }
  }
}

/** @param length of the page with `size` records, as text */
function nextSize(size: number, length: number): number {
  const fitting = Math.floor((EXPORT_PAGE_BYTES * size) / Math.max(length, 1));
  return Math.max(1, Math.min(fitting, size * 2, EXPORT_PAGE_RECORDS.most));
}

/** @throws VALIDATION_ERROR */
function requireFew(total: number): void {
  if (total <= MAX_EXPORTED_RECORDS) return;
  const values = { total, max: MAX_EXPORTED_RECORDS };
  throw validationError({ filters: text('finds {total} records; an export has at most {max}', values) });
}
