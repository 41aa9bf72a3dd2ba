import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ApplicationError, conflict, notFound } from '../../foundation/errors/application-error.ts';
import type { IncomingFile } from './multipart.ts';
import { PollingLoop } from '../../foundation/jobs/polling-loop.ts';
import type { Actor } from '../auth/requests/actor.ts';
import { contentTypeOf } from './content-type.ts';
import type { FileRow } from './file.entity.ts';
import type { FileRows, NewFileRow } from './file-rows.ts';
import type { FileCollector } from './file-collector.ts';
import {
  HEAD_BYTES,
  LOOSE_FILE_MS,
  MAX_UPLOADS,
  REMOVAL_LEASE_MS,
  UPLOAD_RENEWAL_MS,
  MAX_NAME_LENGTH,
} from './files.limits.ts';
import type { ByteRange, StoredFile, FileStores } from './stores/file-store.ts';

/** A file that the program writes itself. */
export interface NewFile extends Omit<NewFileRow, 'store'> {
  readonly contentType: string;
  readonly stream: AsyncIterable<Buffer>;
  /** How long it is kept while no record names it, in milliseconds; a day where it is absent. */
  readonly keptMs?: number;
}

/** Whether a field that the actor may read names a file, in a record that the actor sees. */
export type IsReadable = (actor: Actor, filePid: string) => Promise<boolean>;

/** Uploaded files: whose they are, and their bytes. */
export class FilesService {
  readonly #rows: FileRows;
  readonly #stores: FileStores;
  readonly #collector: FileCollector;
  readonly #isReadable: IsReadable;
  #uploads = 0;

  constructor(rows: FileRows, stores: FileStores, collector: FileCollector, isReadable: IsReadable) {
    this.#rows = rows;
    this.#stores = stores;
    this.#collector = collector;
    this.#isReadable = isReadable;
  }

  /**
   * Stores a file that a user sends. It is the user's alone until a record names it.
   * @throws RATE_LIMITED for too many of one user at once; CONFLICT (LIMIT); SERVICE_UNAVAILABLE
   */
  async upload({ tenantId, userPid, metadata }: Actor, { name, contentType, bytes }: IncomingFile): Promise<FileRow> {
    if (this.#uploads >= MAX_UPLOADS) throw tooManyUploads();
    this.#uploads += 1;
    try {
      const row = { tenantId, environment: metadata.environment, userPid, name: cleanName(name) };
      const file = await this.#rows.begin({ ...row, store: this.#stores.preferred }, true);
      return await this.#store(file, bytes, (head) => contentTypeOf(head, contentType, name), LOOSE_FILE_MS);
    } finally {
      this.#uploads -= 1;
    }
  }

  /** Stores a file of the program's own, for a user. @throws CONFLICT (LIMIT), SERVICE_UNAVAILABLE */
  async write({ contentType, stream, keptMs = LOOSE_FILE_MS, ...row }: NewFile): Promise<FileRow> {
    const file = await this.#rows.begin({ ...row, name: cleanName(row.name), store: this.#stores.preferred }, false);
    return this.#store(file, stream, () => contentType, keptMs);
  }

  /** A file that the actor may read. @throws NOT_FOUND */
  async find(actor: Actor, pid: string): Promise<FileRow> {
    const { tenantId, userPid, metadata } = actor;
    const file = await this.#rows.find(tenantId, pid);
    if (file?.environment !== metadata.environment) throw missing();
    const isFound = file.attached ? await this.#isReadable(actor, pid) : file.uploadedBy === userPid;
    if (!isFound) throw missing();
    return file;
  }

  /** The bytes of a file, read as they are asked for. @throws SERVICE_UNAVAILABLE when they are read */
  read({ store, ...file }: StoredFile & Pick<FileRow, 'store'>, range: ByteRange): AsyncIterable<Buffer> {
    return this.#stores.get(store).read(file, range);
  }

  /** Any file of the tenant. @throws NOT_FOUND */
  async findOfTenant(tenantId: string, pid: string): Promise<FileRow> {
    const file = await this.#rows.find(tenantId, pid);
    if (!file) throw missing();
    return file;
  }

  /** All bytes of any file of the tenant. @throws NOT_FOUND, SERVICE_UNAVAILABLE */
  async openRead(pid: string, tenantId: string): Promise<Readable> {
    const file = await this.findOfTenant(tenantId, pid);
    const size = Number(file.size);
    return Readable.from(size === 0 ? [] : this.read(file, { start: 0, end: size - 1 }), { objectMode: false });
  }

  /**
   * Removes a file of the actor's own that no record names.
   * @throws NOT_FOUND, CONFLICT (REFERENCE) where one does
   */
  async delete(actor: Actor, pid: string): Promise<void> {
    const file = await this.find(actor, pid);
    if (file.attached || !(await this.#rows.withdraw(file, REMOVAL_LEASE_MS))) {
      throw conflict('REFERENCE', 'A record names the file');
    }
    await this.#collector.tryToRemove(file);
  }

  async #store(
    file: StoredFile,
    bytes: AsyncIterable<Buffer>,
    typeOf: (head: Buffer) => string | Promise<string>,
    keptMs: number,
  ): Promise<FileRow> {
    const store = this.#stores.preferred;
    const renewal = new PollingLoop(UPLOAD_RENEWAL_MS, () => this.#rows.renew(file).catch(() => undefined));
    renewal.start();
    try {
      const measured = new MeasuredBytes(bytes);
      await this.#stores.get(store).write(file, measured);
      const { size, sha256, head } = measured;
      return await this.#rows.finish(file, { size, sha256, contentType: await typeOf(head) }, keptMs);
    } catch (error) {
      await this.#discard({ ...file, store });
      throw error;
    } finally {
      renewal.stop();
    }
  }

  /** What cannot be removed now, the collector removes. */
  async #discard(file: StoredFile & Pick<FileRow, 'store'>): Promise<void> {
    const isWithdrawn = await this.#rows.withdraw(file, REMOVAL_LEASE_MS).catch(() => false);
    if (isWithdrawn) await this.#collector.tryToRemove({ ...file, size: null });
  }
}

/** Bytes on their way, with what is known of them when they have passed. */
class MeasuredBytes implements AsyncIterable<Buffer> {
  readonly #bytes: AsyncIterable<Buffer>;
  readonly #hash = createHash('sha256');
  #head = Buffer.alloc(0);
  size = 0;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.#bytes) {
      this.size += chunk.length;
      this.#hash.update(chunk);
      const missing = HEAD_BYTES - this.#head.length;
      if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
      yield chunk;
    }
  }

  get sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  get head(): Buffer {
    return this.#head;
  }
}

function tooManyUploads(): Error {
  const message = 'Too many files are being uploaded; try again';
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: 5 });
}

function missing(): Error {
  return notFound('There is no such file');
}

/**
 * Control and direction characters, parts of characters, and what is not seen. The joiners stay: scripts need
 * them.
 */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Characters that some system refuses in file names. */
const RESERVED = /[<>:"|?*/\\]/g;
const FALLBACK = 'file';

/** The name of an uploaded file as it is stored and shown: one line, no folders, at most 200 characters. */
function cleanName(given: string): string {
  const name = given
    .normalize('NFC')
    .replace(UNSEEN, '')
    .replace(RESERVED, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return name === '' ? FALLBACK : shortened(name);
}

/** Keeps the extension. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_NAME_LENGTH) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return `${characters.slice(0, MAX_NAME_LENGTH - extension.length).join('')}${extension}`;
}
