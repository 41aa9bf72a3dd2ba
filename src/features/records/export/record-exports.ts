import { addAbortSignal, Readable } from 'node:stream';
import pLimit from 'p-limit';
import { newPid } from '../../../foundation/database/pid.ts';
import { isTooLarge } from '../../../foundation/errors/too-large.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { HeldMemory, holding } from '../../../foundation/memory/held-memory.ts';
import { unavailable, validationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { Leases } from '../../../foundation/redis/leases.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import { type RecordQuery, COLUMNS, namesOfFields } from '../../../platform/records/query/record-query.ts';
import type { ListResult, RecordData, RecordReader } from '../../../platform/records/reader/record-reader.ts';
import { withNames } from '../../../platform/records/display-field.ts';
import { type Encoder, columnsOf, readableCodes } from './export-column.ts';
import { EXPORT_FORMATS, type ExportFormatName } from './export-format.ts';
import {
  EXPORT_LEASE_MS,
  EXPORT_PAGE_BYTES,
  EXPORT_PART_LENGTH,
  EXPORT_PAGE_RECORDS,
  EXPORT_POOL_SHARE,
  MAX_EXPORTED_RECORDS,
  MAX_EXPORTS_OF_NODE,
  MAX_EXPORTS_OF_USER,
  MAX_EXPORT_MS,
} from './export.limits.ts';
import type { Language } from '../../../foundation/i18n/languages.ts';
import type { ListSubject } from '../../../platform/records/pages/list-subject.ts';
import type { QueryBody } from '../../../platform/records/query/query-schema.ts';

/** How the file of an export looks. */
export interface ExportForm {
  readonly format: ExportFormatName;
  /** That of the titles of columns, which are codes without it. */
  readonly titles?: Language | null;
  /** Whether a CSV file begins with a byte order mark. */
  readonly bom?: boolean;
}

/** What is exported. */
export interface ExportedParts {
  readonly query: RecordQuery;
  /** The fields in their order; null for all. */
  readonly codes: readonly string[] | null;
}

/** What is exported, and how its file looks. */
export interface AskedExport extends ExportedParts, ExportForm {}

/**
 * What an export asks for. Without fields it has the columns of the view. A table with titles for people
 * shows the name of what a field refers to beside its pid.
 * @param read the reader of a list's names or of its body
 * @param errors as `read`
 * @throws as `read`
 */
export function checkExport<Names extends Partial<Pick<QueryBody, 'fields' | 'expand'>>>(
  read: (names: Names, subject: ListSubject, errors: FieldErrors) => RecordQuery,
  names: Names,
  {
    format,
    titles = null,
    subject,
  }: Partial<Pick<ExportForm, 'format' | 'titles'>> & { readonly subject: ListSubject },
  errors: FieldErrors,
): ExportedParts {
  const isTable = format !== undefined && EXPORT_FORMATS[format].isTable;
  if (names.expand !== undefined && isTable) errors.expand = 'is for ndjson alone';
  const { view, model, actor } = subject;
  const { columns = [] } = view ?? {};
  const asked = names.fields ?? (columns.length > 0 ? COLUMNS : undefined);
  const own = asked === undefined ? null : namesOfFields(asked, subject);
  const codes = isTable && titles ? withNames(own ?? readableCodes(model, actor), model, actor) : own;
  const query = read({ ...names, ...(codes && { fields: codes.join(',') }) }, subject, errors);
  return { query, codes };
}

/** The list whose pages are walked, and how they are written. */
interface Walk {
  readonly query: RecordQuery;
  readonly encoder: Encoder;
  /** What the page that is being written holds. */
  readonly held: HeldMemory;
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
   * A whole list as a file, which is made as it is read. The caller reads it to its end, or destroys it.
   * @throws VALIDATION_ERROR for too many records, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async open({ query, codes, format, titles = null, bom = false }: AskedExport): Promise<Readable> {
    const { pageKey, model, actor } = query.subject;
    if (this.#running >= MAX_EXPORTS_OF_NODE) throw unavailable('node');
    const lease = newPid();
    const held = new HeldMemory();
    const end = this.#begin(actor.userPid, lease, held);
    try {
      await this.#leases.acquire(actor.userPid, lease);
      const { encoderOf, pack } = EXPORT_FORMATS[format];
      const encoder = encoderOf(columnsOf(codes, pageKey, model, actor, titles), { bom, timeZone: actor.timeZone });
      const walk = { query, encoder, held };
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
  #begin(userPid: string, lease: string, held: HeldMemory): () => void {
    this.#running += 1;
    const renewal = setInterval(() => {
      this.#leases.renew(userPid, lease).catch(() => undefined);
    }, EXPORT_LEASE_MS / 3);
    return () => {
      clearInterval(renewal);
      held.end();
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
      let length = 0;
      for (const part of partsOf(page.records, encoder)) {
        length += part.length;
        yield part;
        await letOthersRun();
      }
      if (page.nextCursor === null) break;
      walk.held.shrinkTo(0);
      page = await this.#page(walk, page.nextCursor, nextSize(page.pageSize, length));
    }
    yield encoder.end;
  }

  /** Records can be much longer than those of the page before: then it is a smaller page. */
  async #page(walk: Walk, cursor: string | null, pageSize: number): Promise<ListResult> {
    const count = cursor === null ? 'exact' : 'none';
    const page = this.#reader.open({ ...walk.query, pageNum: 1, pageSize, count, cursor });
    try {
      return await this.#limit(() => holding(walk.held, () => this.#reader.list(page)));
    } catch (error) {
      if (pageSize === 1 || !isTooLarge(error)) throw error;
      return this.#page(walk, cursor, Math.floor(pageSize / 2));
    }
  }
}

/** The records as text, in parts of a size that is kept in memory. */
function* partsOf(records: readonly RecordData[], encoder: Encoder): Generator<string> {
  let part = '';
  for (const record of records) {
    part += encoder.record(record);
    if (part.length < EXPORT_PART_LENGTH) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
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
