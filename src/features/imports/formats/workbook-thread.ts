import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { inflateRaw } from 'node:zlib';
import pLimit from 'p-limit';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { Text, text, type StoredMessage } from '../../../foundation/i18n/text.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import {
  FIRST_ROW_SECONDS,
  MAX_WAITING_WORKBOOKS,
  WORKBOOK_SECONDS,
  WORKBOOK_THREAD_MB,
  WORKBOOK_THREADS,
} from '../imports.limits.ts';
import { unreadable, type SourceFile, type TableLine } from './import-row.ts';

/** What a thread is asked for. */
export interface ThreadTask {
  readonly size: number;
  /** Whether the first row that has something to be seen is enough. */
  readonly isFirstOnly: boolean;
}

/** Bytes of the file that are asked for, rows as packed JSON, and how it ends. */
export type FromThread =
  | { readonly read: { readonly start: number; readonly end: number } }
  | { readonly block: Uint8Array }
  | { readonly refused: StoredMessage }
  | { readonly end: true };

export interface ToThread {
  readonly bytes: Uint8Array;
}

const inflate = promisify(inflateRaw);
const firstRows = pLimit(WORKBOOK_THREADS);
const sheets = pLimit(WORKBOOK_THREADS);

/**
 * The lines of a workbook up to the first that has something to be seen.
 * @throws VALIDATION_ERROR; SERVICE_UNAVAILABLE where too many wait
 */
export async function firstLines(file: SourceFile): Promise<PackedLines> {
  if (firstRows.pendingCount >= MAX_WAITING_WORKBOOKS) {
    throw new ApplicationError('SERVICE_UNAVAILABLE', { retryAfterSeconds: FIRST_ROW_SECONDS });
  }
  return firstRows(() => readInThread(file, { size: file.size, isFirstOnly: true }, FIRST_ROW_SECONDS, null));
}

/** All lines of a workbook, read once. @throws VALIDATION_ERROR; the signal's reason */
export function allLines(file: SourceFile, signal: AbortSignal | null): Promise<PackedLines> {
  return sheets(() => readInThread(file, { size: file.size, isFirstOnly: false }, WORKBOOK_SECONDS, signal));
}

/** Lines in memory, which are unpacked as they are read. */
export class PackedLines {
  readonly #blocks: readonly Uint8Array[];

  constructor(blocks: readonly Uint8Array[]) {
    this.#blocks = blocks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TableLine> {
    for (const block of this.#blocks) {
      yield* JSON.parse((await inflate(block)).toString()) as TableLine[];
      await letOthersRun();
    }
  }
}

async function readInThread(
  file: SourceFile,
  workerData: ThreadTask,
  seconds: number,
  signal: AbortSignal | null,
): Promise<PackedLines> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./workbook-worker.ts', import.meta.url), {
    workerData,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: WORKBOOK_THREAD_MB, maxYoungGenerationSizeMb: 16 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<PackedLines>();
  const blocks: Uint8Array[] = [];
  const answer = async (range: { readonly start: number; readonly end: number }): Promise<void> => {
    worker.postMessage({ bytes: await buffer(file.read(range)) } satisfies ToThread);
  };
  worker.on('message', (message: FromThread) => {
    if ('read' in message) answer(message.read).catch(reject);
    else if ('block' in message) blocks.push(message.block);
    else if ('refused' in message) reject(unreadable(Text.from(message.refused)));
    else resolve(new PackedLines(blocks));
  });
  worker.once('error', (error) => reject(isOutOfMemory(error) ? needsTooMuch() : error));
  worker.once('exit', () => reject(new Error('the thread that reads a workbook has ended')));
  const stop = () => reject(signal?.reason as Error);
  signal?.addEventListener('abort', stop);
  const deadline = setTimeout(() => reject(takesTooLong(seconds)), seconds * 1_000);
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function needsTooMuch(): ApplicationError {
  const values = { max: WORKBOOK_THREAD_MB };
  return unreadable(text('needs more than {max} MB of memory to be read: import it as CSV', values));
}

function takesTooLong(max: number): ApplicationError {
  return unreadable(text('takes more than {max} s to be read: import it as CSV', { max }));
}
