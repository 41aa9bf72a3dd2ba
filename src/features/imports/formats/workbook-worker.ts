import { Readable } from 'node:stream';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { deflateRawSync } from 'node:zlib';
import { RandomAccessReader } from 'yauzl';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { Text, text, type Message } from '../../../foundation/i18n/text.ts';
import { BLOCK_CHARACTERS, MAX_PACKED_ROWS_MB, READ_BYTES } from '../imports.limits.ts';
import { isBlank, unreadable, type TableLine } from './import-row.ts';
import type { FromThread, ThreadTask, ToThread } from './workbook-thread.ts';
import { workbookLines } from './workbook-lines.ts';

// A thread of its own, which reads one workbook: however long that takes, the program answers meanwhile.

const port = parentPort as MessagePort;
const { size, isFirstOnly } = workerData as ThreadTask;

/** Lets yauzl read parts of the file, which the main thread has. */
class RemoteReader extends RandomAccessReader {
  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(pieces(start, end), { objectMode: false });
  }
}

async function* pieces(start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += READ_BYTES) {
    const range = { start: at, end: Math.min(at + READ_BYTES, end) - 1 };
    yield Buffer.from(await read(range));
  }
}

const waiting: ((bytes: Uint8Array) => void)[] = [];
port.on('message', ({ bytes }: ToThread) => waiting.shift()?.(bytes));

function read(range: { readonly start: number; readonly end: number }): Promise<Uint8Array> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    send({ read: range });
  });
}

function send(message: FromThread): void {
  port.postMessage(message);
}

/** Sends lines in packed blocks, as JSON. */
class Packer {
  #lines: string[] = [];
  #length = 0;
  #packed = 0;

  add(line: TableLine): void {
    const written = JSON.stringify(line);
    this.#lines.push(written);
    this.#length += written.length;
    if (this.#length >= BLOCK_CHARACTERS) this.flush();
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const block = deflateRawSync(`[${this.#lines.join(',')}]`, { level: 1 });
    this.#packed += block.length;
    if (this.#packed > MAX_PACKED_ROWS_MB * 1024 * 1024) {
      throw unreadable(text('has rows of more than {max} MB: import it as CSV', { max: MAX_PACKED_ROWS_MB }));
    }
    send({ block });
    this.#lines = [];
    this.#length = 0;
  }
}

async function run(): Promise<void> {
  const packer = new Packer();
  for await (const line of workbookLines(new RemoteReader(), size)) {
    packer.add(line);
    if (isFirstOnly && !isBlank(line)) break;
  }
  packer.flush();
  send({ end: true });
}

try {
  await run();
} catch (error) {
  if (!(error instanceof ApplicationError)) throw error;
  const { filePid = error.text } = (error.data?.fieldErrors ?? {}) as { readonly filePid?: Message };
  send({ refused: Text.from(filePid).toStored() });
}
port.close();
