import { Transform, type TransformCallback } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ApplicationError, validationError } from '../../foundation/errors/application-error.ts';
import type { HttpRequest } from '../../foundation/http/route.ts';
import { UPLOAD_SILENCE_MS } from './files.limits.ts';

/** A file of a multipart body, while it arrives. */
export interface IncomingFile {
  /** As the client calls it, without folders. */
  readonly name: string;
  /** As the client declares it. */
  readonly contentType: string;
  /** Ends when the whole body has arrived and is in order; fails when it has not. */
  readonly bytes: AsyncIterable<Buffer>;
}

const TYPE = 'multipart/form-data';
/** Part that holds the file. */
const PART = 'file';
/** What a body may have beside its file: boundaries and the headers of one part. */
const MAX_FRAME_BYTES = 16 * 1024;
const PART_LIMITS = { files: 1, fields: 0, parts: 1, headerPairs: 20, headerSize: 8 * 1024 };

/**
 * Reads a multipart body with one file, and hands it over while it arrives: memory holds a chunk of it.
 * @param receive must read the file to its end
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR, REQUEST_TIMEOUT; what `receive` throws
 */
export async function receiveFile<T>(
  request: HttpRequest,
  maxBytes: number,
  receive: (file: IncomingFile) => Promise<T>,
): Promise<T> {
  if (!request.is(TYPE)) {
    throw new ApplicationError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send Content-Type: multipart/form-data' });
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + MAX_FRAME_BYTES) throw tooLarge();
  const parser = parserOf(request, maxBytes);
  const { promise: parsed, resolve, reject } = Promise.withResolvers<undefined>();
  // It is awaited in two places, neither of which may be reached.
  parsed.catch(() => undefined);
  let stream: BusboyFileStream | undefined;
  let received: Promise<T> | undefined;
  parser.once('file', (part, file, name, _encoding, contentType) => {
    stream = file;
    file.once('limit', () => reject(tooLarge()));
    file.on('error', () => undefined);
    if (part !== PART) return reject(notOneFile());
    received = receive({ name, contentType, bytes: bytesOf(file, parsed) });
    received.catch(reject);
  });
  for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.once(event, () => reject(notOneFile()));
  parser.once('error', () => reject(malformed()));
  parser.once('finish', () => resolve(undefined));
  const silence = watchSilence(request, reject);
  request.once('close', () => request.complete || reject(malformed()));
  const named = new ExtendedNames();
  request.pipe(named).pipe(parser);
  try {
    await parsed;
    if (!received) throw notOneFile();
    return await received;
  } catch (error) {
    request.unpipe(named);
    // The rest is read and dropped, so that the client gets to read the answer.
    request.resume();
    stream?.destroy(error as Error);
    await received?.catch(() => undefined);
    throw error;
  } finally {
    clearInterval(silence);
  }
}

const END_OF_HEADERS = '\r\n\r\n';
const DISPOSITION = /^content-disposition:.*$/im;
const PARAMETER = /;\s*([^\s;=]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g;
const DECODABLE = /^(?:utf-8|iso-8859-1)'[^']*'/i;

/**
 * Leaves out `filename` where the part has a `filename*` (RFC 6266, 4.3): busboy would take the one that
 * stands first, or last, by how `name` is quoted.
 */
class ExtendedNames extends Transform {
  #head: Buffer | null = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#head === null) return done(null, chunk);
    const head = Buffer.concat([this.#head, chunk]);
    const isWhole = head.includes(END_OF_HEADERS) || head.length > MAX_FRAME_BYTES;
    this.#head = isWhole ? null : head;
    return isWhole ? done(null, withExtendedName(head)) : done();
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#head);
  }
}

function withExtendedName(head: Buffer): Buffer {
  const end = head.indexOf(END_OF_HEADERS);
  const headers = head.subarray(0, Math.max(end, 0)).toString('latin1');
  const chosen = headers.replace(DISPOSITION, (line) => {
    const isExtended = [...line.matchAll(PARAMETER)].some(
      ([, name = '', value = '']) => name.toLowerCase() === 'filename*' && DECODABLE.test(value),
    );
    const withoutPlain = (all: string, name: string) => (name.toLowerCase() === 'filename' ? '' : all);
    return isExtended ? line.replace(PARAMETER, withoutPlain) : line;
  });
  return chosen === headers ? head : Buffer.concat([Buffer.from(chosen, 'latin1'), head.subarray(end)]);
}

/** @throws VALIDATION_ERROR for a content type without a boundary */
function parserOf({ headers }: HttpRequest, maxBytes: number): BusboyInstance {
  try {
    const limits = { ...PART_LIMITS, fileSize: maxBytes };
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits });
  } catch {
    throw malformed();
  }
}

async function* bytesOf(file: BusboyFileStream, parsed: Promise<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of file) yield chunk as Buffer;
  await parsed;
}

/** A pause of our own is not the client's silence. */
function watchSilence(request: HttpRequest, reject: (error: Error) => void): NodeJS.Timeout {
  let heardAt = Date.now();
  request.on('data', () => (heardAt = Date.now()));
  return setInterval(() => {
    if (request.isPaused()) heardAt = Date.now();
    else if (Date.now() - heardAt > UPLOAD_SILENCE_MS) reject(new ApplicationError('REQUEST_TIMEOUT'));
  }, 1_000);
}

function tooLarge(): Error {
  return new ApplicationError('PAYLOAD_TOO_LARGE');
}

function notOneFile(): Error {
  return validationError({ [PART]: 'must be the only part of the body, and a file' });
}

function malformed(): Error {
  return validationError({ body: 'is malformed' });
}
