import { unavailable } from '../../../foundation/errors/application-error.ts';

/** Where the bytes of a file are. */
export interface StoredFile {
  readonly pid: string;
  readonly tenantId: string;
}

/** Bytes of a file: from the first to the last, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Keeps the bytes of files. The rows of files say whose they are, and whether they are whole. */
export interface FileStore {
  /** Stores the bytes as they come. What has been stored stays when they fail: it is removed by `remove`. */
  write(file: StoredFile, bytes: AsyncIterable<Buffer>): Promise<void>;
  /** Reads the bytes as they are asked for. */
  read(file: StoredFile, range: ByteRange): AsyncIterable<Buffer>;
  /**
   * Removes what there is of the bytes. Idempotent.
   * @param isPartial its upload has not come to its end
   */
  remove(file: StoredFile, isPartial: boolean): Promise<void>;
}

export const STORE_NAMES = ['postgres', 's3'] as const;
export type StoreName = (typeof STORE_NAMES)[number];

/** The bytes in pieces of one size; the last may be smaller. */
export async function* inPieces(bytes: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    held.push(chunk);
    length += chunk.length;
    if (length < size) continue;
    const whole = Buffer.concat(held, length);
    const rest = length % size;
    for (let at = 0; at < length - rest; at += size) yield whole.subarray(at, at + size);
    held = rest === 0 ? [] : [Buffer.from(whole.subarray(length - rest))];
    length = rest;
  }
  if (length > 0) yield Buffer.concat(held, length);
}

/** The stores that this installation has. New files go to the first; each file stays where it is. */
export class FileStores {
  readonly names: readonly StoreName[];
  readonly #stores: ReadonlyMap<StoreName, FileStore>;

  constructor(stores: readonly (readonly [StoreName, FileStore])[]) {
    this.names = stores.map(([name]) => name);
    this.#stores = new Map(stores);
  }

  /** The name of the store for new files. */
  get preferred(): StoreName {
    return this.names[0] ?? 'postgres';
  }

  /** @throws SERVICE_UNAVAILABLE for a store that is not configured any more */
  get(name: StoreName): FileStore {
    const store = this.#stores.get(name);
    if (!store) throw unavailable(name);
    return store;
  }
}
