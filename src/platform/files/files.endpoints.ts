import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApplicationError } from '../../foundation/errors/application-error.ts';
import { hasVersion, customReply, type CustomReply } from '../../foundation/http/reply.ts';
import { receiveFile } from './multipart.ts';
import type { HttpRequest, HttpResponse } from '../../foundation/http/route.ts';
import {
  ANYTHING,
  BINARY,
  described,
  integer,
  named,
  NOTHING,
  object,
  PID,
  text,
  TIME,
} from '../../foundation/validation/schema.ts';
import { endpoint, SIGNED_IN, type Endpoint } from '../auth/requests/endpoint.ts';
import type { FileMetrics } from './file-metrics.ts';
import type { FileRow } from './file.entity.ts';
import type { FilesService } from './files.service.ts';
import type { ByteRange } from './stores/file-store.ts';

const BASE = '/api/files';
const tag = 'Files';
const FILE = named(
  'File',
  object({
    pid: PID,
    name: text(),
    size: integer(0),
    contentType: described('By the first bytes of the file', text()),
    sha256: text({ pattern: '^[0-9a-f]{64}$' }),
    createdAt: TIME,
  }),
);

/** Uploaded files. A file is its uploader's until a record names it, then the readers' of that field. */
export function fileEndpoints(files: FilesService, maxBytes: number, metrics: FileMetrics): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: BASE,
      access: SIGNED_IN,
      tag,
      summary: 'Upload a file',
      description: 'A file that no record names within 24 hours is removed.',
      bodyMode: 'stream',
      bodyType: 'multipart/form-data',
      body: object({ file: BINARY }),
      maxBodyBytes: maxBytes,
      data: FILE,
      errors: ['CONFLICT'],
      async handle({ actor, request }) {
        const received = receiveFile(request, maxBytes, (file) => files.upload(actor, file));
        return present(await metrics.counted(received));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/info`,
      access: SIGNED_IN,
      tag,
      summary: 'What is known of a file',
      data: FILE,
      handle: async ({ actor, params }) => present(await files.find(actor, params.pid)),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid`,
      access: SIGNED_IN,
      tag,
      summary: 'The bytes of a file',
      description: 'Answers `Range` with 206, and `If-None-Match` with 304.',
      data: ANYTHING,
      media: { type: '*/*', description: 'The bytes', partial: true },
      errors: ['RANGE_NOT_SATISFIABLE'],
      async handle({ actor, params, request }) {
        return download(files, await files.find(actor, params.pid), request, metrics);
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${BASE}/:pid`,
      access: SIGNED_IN,
      tag,
      summary: "Remove a file of one's own that no record names",
      data: NOTHING,
      errors: ['CONFLICT'],
      async handle({ actor, params }) {
        await files.delete(actor, params.pid);
        return null;
      },
    }),
  ];
}

function present({ pid, name, size, contentType, sha256, createdAt }: FileRow) {
  return { pid, name, size: Number(size), contentType, sha256, createdAt };
}

/** Browsers must never render a file as a page of this origin: its content is untrusted. */
const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Who may read it can change.
  'Cache-Control': 'private, no-cache',
  'Accept-Ranges': 'bytes',
};

async function download(
  files: FilesService,
  file: FileRow,
  request: HttpRequest,
  metrics: FileMetrics,
): Promise<CustomReply> {
  const etag = `"${file.sha256 ?? ''}"`;
  if (hasVersion(request, etag)) {
    return customReply((response) =>
      response
        .status(304)
        .set({ ...SAFE_HEADERS, ETag: etag })
        .end(),
    );
  }
  const size = Number(file.size);
  const range = rangeOf(request, size, etag);
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const isHead = request.method === 'HEAD';
  const bytes = await begun(isHead || size === 0 ? [] : files.read(file, { start, end }));
  return customReply(async (response) => {
    // Its type goes by the name's extension, and is set to the real one below.
    response.attachment(file.name).set({ ...SAFE_HEADERS, ETag: etag });
    response.setHeader('Content-Type', file.contentType ?? '');
    response.setHeader('Content-Length', end - start + 1);
    if (range) response.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${size}`);
    await send(isHead ? bytes : metrics.sent(bytes), response);
  });
}

/** Reads the first bytes before anything is answered: a store that is away is a 503. */
async function begun(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const iterator = Symbol.asyncIterator in bytes ? bytes[Symbol.asyncIterator]() : bytes[Symbol.iterator]();
  const first = await iterator.next();
  return (async function* () {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value;
  })();
}

async function send(bytes: AsyncIterable<Buffer>, response: HttpResponse): Promise<void> {
  try {
    await pipeline(Readable.from(bytes, { objectMode: false }), response);
  } catch (error) {
    // The client has gone.
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/**
 * The single range that a request asks for; null for the whole file, which also answers several ranges.
 * @throws RANGE_NOT_SATISFIABLE
 */
function rangeOf(request: HttpRequest, size: number, etag: string): ByteRange | null {
  const condition = request.get('If-Range');
  if (condition !== undefined && condition !== etag) return null;
  const ranges = request.range(size);
  if (ranges === -1) {
    const error = new ApplicationError('RANGE_NOT_SATISFIABLE', { data: { size } });
    error.headers['Content-Range'] = `bytes */${size}`;
    throw error;
  }
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}
