import { PART_BYTES, READ_BYTES } from '../files.limits.ts';
import { inPieces, type ByteRange, type FileStore, type StoredFile } from './file-store.ts';
import type { S3Client } from './s3-client.ts';

/** Files as objects of an S3-compatible store. Large ones are sent in parts. */
export class S3FileStore implements FileStore {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async write(file: StoredFile, bytes: AsyncIterable<Buffer>): Promise<void> {
    const key = keyOf(file);
    let uploadId: string | null = null;
    const etags: string[] = [];
    for await (const part of inPieces(bytes, PART_BYTES)) {
      // Only the last piece is smaller: it is all there is.
      if (uploadId === null && part.length < PART_BYTES) return this.#client.putObject(key, part);
      uploadId ??= await this.#client.beginUpload(key);
      etags.push(await this.#client.uploadPart(key, uploadId, etags.length + 1, part));
    }
    if (uploadId === null) await this.#client.putObject(key, Buffer.alloc(0));
    else await this.#client.completeUpload(key, uploadId, etags);
  }

  /** Asks for one piece at a time: a slow reader keeps no connection of the store open. */
  async *read(file: StoredFile, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    for (let from = start; from <= end; from += READ_BYTES) {
      yield await this.#client.getObject(keyOf(file), { start: from, end: Math.min(end, from + READ_BYTES - 1) });
    }
  }

  async remove(file: StoredFile, isPartial: boolean): Promise<void> {
    if (isPartial) await this.#client.abortUploads(keyOf(file));
    await this.#client.deleteObject(keyOf(file));
  }
}

function keyOf({ tenantId, pid }: StoredFile): string {
  return `${tenantId}/${pid}`;
}
