import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import { newPid } from '../../../foundation/database/pid.ts';
import { isTooLarge } from '../../../foundation/database/result-types.ts';
import { unavailable, validationError } from '../../../foundation/errors/application-error.ts';
import type { HttpResponse } from '../../../foundation/http/route.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { Leases } from '../../../foundation/redis/leases.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { RecordQuery } from '../query/record-query.ts';
import type { ListResult } from '../record-reader.ts';
import type { RecordService } from '../records.service.ts';
import type { Encoder } from './encoder.ts';
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

/** What is exported, for whom, and as what. */
export interface AskedExport {
  readonly actor: Actor;
  readonly model: Model;
  readonly query: RecordQuery;
  readonly encoder: Encoder;
  readonly headers: Readonly<Record<string, string>>;
  readonly pack: ((text: Readable) => Readable) | undefined;
}

/**
 * Writes whole lists into files. It walks by cursor, page by page, so no connection waits for a slow client;
 * each page is what a list with the same rights would answer.
 */
export class RecordExports {
  readonly #records: RecordService;
  readonly #leases: Leases;
  readonly #logger: Logger;
  readonly #limit: ReturnType<typeof pLimit>;
  #running = 0;

  constructor(records: RecordService, store: RedisStore, poolSize: number, logger: Logger) {
    this.#records = records;
    this.#logger = logger;
    this.#limit = pLimit(Math.max(1, Math.floor(poolSize * EXPORT_POOL_SHARE)));
    const refusal = text('A user may have {max} exports under way', { max: MAX_EXPORTS_OF_USER });
    const limits = { maxPerUser: MAX_EXPORTS_OF_USER, leaseMs: EXPORT_LEASE_MS, refusal };
    this.#leases = new Leases(store, { kind: 'exports', ...limits });
  }

  /**
   * Answers with the file. What fails later cuts the connection, so that no part of a file looks like a
   * whole.
   * @throws VALIDATION_ERROR for too many records, RATE_LIMITED, SERVICE_UNAVAILABLE: all before the first
   * byte
   */
  async send(response: HttpResponse, asked: AskedExport): Promise<void> {
    if (this.#running >= MAX_EXPORTS_OF_NODE) throw unavailable('node');
    const { userPid } = asked.actor;
    const lease = newPid();
    this.#running += 1;
    const renewal = setInterval(() => {
      this.#leases.renew(userPid, lease).catch(() => undefined);
    }, EXPORT_LEASE_MS / 3);
    try {
      await this.#leases.acquire(userPid, lease);
      await this.#write(response, asked);
    } finally {
      clearInterval(renewal);
      this.#running -= 1;
      // On a failure, the lease expires.
      this.#leases.release(userPid, lease).catch(() => undefined);
    }
  }

  async #write(response: HttpResponse, asked: AskedExport): Promise<void> {
    const first = await this.#page(asked, null, EXPORT_PAGE_RECORDS.first);
    requireFew(first.total ?? 0);
    response.set({ ...asked.headers, 'Cache-Control': 'no-store' });
    if (response.req.method === 'HEAD') return void response.end();
    const records = Readable.from(this.#encode(asked, first), { objectMode: false });
    const file = asked.pack ? asked.pack(records) : records;
    try {
      await pipeline(file, response, { signal: AbortSignal.timeout(MAX_EXPORT_MS) });
    } catch (error) {
      // The client has seen its connection break; there is no answer left to give.
      this.#logger.warn({ err: error, model: asked.model.code }, 'an export was cut off');
    }
  }

  async *#encode(asked: AskedExport, first: ListResult): AsyncGenerator<string> {
    const { encoder } = asked;
    yield encoder.begin;
    let count = 0;
    for (let page = first; ;) {
      count += page.records.length;
      requireFew(count);
      const written = page.records.map((record) => encoder.record(record)).join('');
      if (written !== '') yield written;
      if (page.nextCursor === null) break;
      page = await this.#page(asked, page.nextCursor, nextSize(page.pageSize, written.length));
    }
    yield encoder.end;
  }

  /** Records can be much longer than those of the page before: then it is a smaller page. */
  async #page(asked: AskedExport, cursor: string | null, pageSize: number): Promise<ListResult> {
    const { actor, model, query } = asked;
    const count = cursor === null ? 'exact' : 'none';
    const page = { ...query, pageNum: 1, pageSize, count, cursor } as const;
    try {
      return await this.#limit(() => this.#records.listChecked(actor, model.code, page));
    } catch (error) {
      if (pageSize === 1 || !isTooLarge(error)) throw error;
      return this.#page(asked, cursor, Math.floor(pageSize / 2));
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
