import pLimit from 'p-limit';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import { endlessError, MAX_STARTS } from '../../../foundation/jobs/repeated-starts.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import type { Counter, Metrics } from '../../../foundation/metrics/metrics.ts';
import type { FilesService } from '../../../platform/files/files.service.ts';
import type { ImportRecord } from '../data-import.entity.ts';
import type { ErrorReports } from './error-reports.ts';
import { IMPORT_FORMATS, type RowReader } from '../formats/import-format.ts';
import { unreadable, type ImportRow } from '../formats/import-row.ts';
import type { ImportChunks } from './import-chunks.ts';
import { sourceOf } from './source-of.ts';
import { beginImport, endImport, findImport, setTotal, takeStartBack } from '../import-store.ts';
import {
  CHUNK_LENGTH,
  CHUNK_ROWS,
  CHUNK_ROWS_BY_START,
  IMPORT_POOL_SHARE,
  IMPORTS_AT_ONCE,
  MAX_ROWS,
  WORKBOOKS_AT_ONCE,
} from '../imports.limits.ts';

/** The progress of an import, for the heartbeat of its activity. */
export interface ImportProgress {
  readonly row: number;
}

/** Runs imports: reads the file, applies its rows, writes the error report. */
export class ImportRunner {
  readonly #database: Database;
  readonly #files: FilesService;
  readonly #chunks: ImportChunks;
  readonly #reports: ErrorReports;
  readonly #rows: Counter<never>;
  readonly #logger: Logger;
  /** Imports of this process take turns, chunk by chunk. */
  readonly #limit: ReturnType<typeof pLimit>;
  #running = 0;
  /** Those of them whose rows are in memory. */
  #workbooks = 0;

  constructor(
    database: Database,
    files: FilesService,
    chunks: ImportChunks,
    reports: ErrorReports,
    poolSize: number,
    metrics: Metrics,
    logger: Logger,
  ) {
    this.#database = database;
    this.#files = files;
    this.#chunks = chunks;
    this.#reports = reports;
    this.#rows = metrics.counter('import_rows_total', 'Rows of imports that were dealt with');
    this.#logger = logger;
    this.#limit = pLimit(Math.max(1, Math.floor(poolSize * IMPORT_POOL_SHARE)));
  }

  /**
   * Continues an import, if possible to its end.
   * @param signal stops it between two chunks; another worker continues
   * @returns false where this worker has as many imports as it can take
   * @throws a transient fault
   */
  async run(importPid: string, signal: AbortSignal, report: (progress: ImportProgress) => void): Promise<boolean> {
    if (this.#running >= IMPORTS_AT_ONCE) return false;
    this.#running += 1;
    try {
      const begun = await beginImport(this.#database, importPid);
      const workbooks = begun?.format === 'xlsx' ? 1 : 0;
      if (this.#workbooks + workbooks > WORKBOOKS_AT_ONCE) {
        await takeStartBack(this.#database, importPid);
        return false;
      }
      this.#workbooks += workbooks;
      try {
        if (begun) await withLogContext(begun, () => this.#carryOut(begun, signal, report));
        const ended = await findImport(this.#database, importPid);
        if (ended) await this.#reports.write(ended, signal);
      } finally {
        this.#workbooks -= workbooks;
      }
      return true;
    } finally {
      this.#running -= 1;
    }
  }

  async #carryOut(begun: ImportRecord, signal: AbortSignal, report: (progress: ImportProgress) => void): Promise<void> {
    const { pid } = begun;
    try {
      if (begun.starts > MAX_STARTS) throw endlessError(begun.traceId);
      const rows = await this.#open(begun, signal);
      if (begun.total === null) await setTotal(this.#database, pid, await countOf(rows, signal));
      const isOver = await this.#applyAll(begun, rows, signal, report);
      if (isOver) await endImport(this.#database, pid, { status: 'SUCCEEDED' });
    } catch (error) {
      if (!isTransient(error) && !signal.aborted) return await this.#fail(begun, error);
      // Where Postgres is away, too, this start stays counted, and no other one is before it is back.
      await takeStartBack(this.#database, pid).catch(() => undefined);
      throw error;
    }
  }

  /** @returns false where the import was ended meanwhile */
  async #applyAll(
    begun: ImportRecord,
    rows: RowReader,
    signal: AbortSignal,
    report: (progress: ImportProgress) => void,
  ): Promise<boolean> {
    const { pid } = begun;
    for await (const chunk of inChunks(rows(), begun)) {
      signal.throwIfAborted();
      const status = await this.#limit(() => this.#chunks.apply(pid, chunk));
      if (status !== 'RUNNING') return false;
      this.#rows.inc({}, chunk.length);
      report({ row: chunk.at(-1)?.number ?? 0 });
    }
    this.#logger.info({ importPid: pid }, 'an import has come to its end');
    return true;
  }

  async #open(begun: ImportRecord, signal: AbortSignal): Promise<RowReader> {
    return IMPORT_FORMATS[begun.format].open(await sourceOf(this.#files, begun), begun.delimiter, signal);
  }

  async #fail({ pid, traceId }: ImportRecord, thrown: unknown): Promise<void> {
    const isKnown = thrown instanceof ApplicationError;
    if (!isKnown) this.#logger.error({ err: thrown, importPid: pid }, 'an import failed for an unknown reason');
    const error = isKnown ? thrown : new ApplicationError('INTERNAL_ERROR', { data: { traceId }, cause: thrown });
    await endImport(this.#database, pid, { status: 'FAILED', error: toStoredError(error) });
  }
}

/** Counts the rows: a file that cannot be read to its end changes nothing. @throws VALIDATION_ERROR */
async function countOf(rows: RowReader, signal: AbortSignal): Promise<number> {
  let total = 0;
  for await (const _row of rows()) {
    signal.throwIfAborted();
    total += 1;
    if (total > MAX_ROWS) throw unreadable(text('has more than {max} rows', { max: MAX_ROWS }));
  }
  return total;
}

/** The rows behind a position, as many at a time as one transaction takes. */
async function* inChunks(
  rows: AsyncIterable<ImportRow>,
  { position, starts }: Pick<ImportRecord, 'position' | 'starts'>,
): AsyncGenerator<ImportRow[]> {
  let chunk: ImportRow[] = [];
  let length = 0;
  let applied = 0;
  for await (const row of rows) {
    if (row.number <= position) continue;
    chunk.push(row);
    length += lengthOf(row);
    if (chunk.length < chunkRows(starts, applied) && length < CHUNK_LENGTH) continue;
    yield chunk;
    applied += chunk.length;
    chunk = [];
    length = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * Where a worker has died, what it was at is applied in small transactions: all of it at once may have killed
 * it.
 */
function chunkRows(starts: number, applied: number): number {
  return applied < CHUNK_ROWS ? (CHUNK_ROWS_BY_START[starts - 1] ?? 1) : CHUNK_ROWS;
}

function lengthOf({ values }: ImportRow): number {
  let length = 0;
  for (const value of Object.values(values)) {
    length += typeof value === 'string' ? value.length : typeof value === 'object' ? JSON.stringify(value).length : 8;
  }
  return length;
}
