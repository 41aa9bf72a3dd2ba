import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { FileCollector } from '../../src/platform/files/file-collector.ts';
import { FileMetrics } from '../../src/platform/files/file-metrics.ts';
import { FileRows } from '../../src/platform/files/file-rows.ts';
import { FileStores } from '../../src/platform/files/stores/file-store.ts';
import { PostgresFileStore } from '../../src/platform/files/stores/postgres-file-store.ts';
import { Metrics } from '../../src/foundation/metrics/metrics.ts';
import type { Answered, CallOptions } from './api.ts';
import { sharedDocument } from './openapi.ts';
import { runSql } from './platform.ts';
import { container, type TestTenant, type TestUser } from './world.ts';

const BOUNDARY = '----a-boundary-of-the-tests';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

interface Part {
  /** What stands behind `form-data; `. */
  readonly disposition: string;
  readonly type?: string;
  readonly content: Buffer | string;
}

/** A multipart body, byte for byte. */
export function multipart(...parts: readonly Part[]): Buffer {
  const frames = parts.flatMap(({ disposition, type, content }) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n`),
    Buffer.from(`${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...frames, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

interface Named extends Pick<CallOptions, 'baseUrl' | 'headers'> {
  readonly name?: string;
  readonly type?: string;
}

/** Uploads a file as a browser would. */
export function upload(
  { token }: Pick<TestUser, 'token'>,
  content: Buffer | string,
  { name = 'a.txt', type = 'text/plain', ...options }: Named = {},
): Promise<Answered> {
  return sendMultipart(token, multipart({ disposition: `name="file"; filename="${name}"`, type, content }), options);
}

/** Sends a body as it is. @throws Error for an answer that the OpenAPI document does not have */
export async function sendMultipart(
  token: string,
  content: Buffer | ReadableStream,
  { baseUrl = process.env.KEELSON_TEST_URL ?? '', headers = {} }: Pick<CallOptions, 'baseUrl' | 'headers'> = {},
): Promise<Answered> {
  const response = await fetch(`${baseUrl}/api/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': MULTIPART, ...headers },
    body: content,
    ...(!Buffer.isBuffer(content) && { duplex: 'half' }),
  });
  const { status, headers: received } = response;
  const answered = { status, headers: received, body: JSON.parse(await response.text()) };
  const problem = (await sharedDocument())?.problemOf('POST', response.url, answered);
  if (problem) throw new Error(problem);
  return answered;
}

export interface Downloaded {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export async function download(
  { token }: Pick<TestUser, 'token'>,
  pid: string,
  { baseUrl = process.env.KEELSON_TEST_URL ?? '', headers = {}, method = 'GET' }: CallOptions = {},
): Promise<Downloaded> {
  const response = await fetch(`${baseUrl}/api/files/${pid}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Begins an upload that does not come to its end by itself. Resolves when the first bytes have been sent. */
export async function beginUpload(
  { token }: Pick<TestUser, 'token'>,
  baseUrl: string,
  sent: Buffer,
  length = sent.length + 1_000_000,
): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const head = [
    'POST /api/files HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${MULTIPART}`,
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');
  const start = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    socket.write(Buffer.concat([Buffer.from(head + start), sent]), () => resolve());
  });
  return socket;
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Everything that is stored of a tenant's files, bytes included. */
export async function storedFiles({ id }: TestTenant) {
  const [found] = await runSql<{ files: number; chunks: number; references: number; bytes: string }>(
    `select (select count(*)::int from platform.file where tenant_id = $1) as files,
       (select count(*)::int from platform.file_chunk where tenant_id = $1) as chunks,
       (select count(*)::int from platform.file_reference where tenant_id = $1) as references,
       coalesce((select bytes from platform.file_usage where tenant_id = $1), 0)::text as bytes`,
    [id],
  );
  return found;
}

export const NOTHING_STORED = { files: 0, chunks: 0, references: 0, bytes: '0' };

/** Removes what is due, as workers do every few seconds. */
export async function collectFiles(stores?: FileStores): Promise<void> {
  const { orm, database, logger } = await container();
  const own = stores ?? new FileStores([['postgres', new PostgresFileStore(database)]]);
  const collector = new FileCollector(orm, new FileRows(database, 0), own, new FileMetrics(new Metrics()), logger);
  while (await collector.purgeBatch());
}

/**
 * Lets the time pass that a tenant's files are kept while no record names them, or that an upload may be
 * silent.
 */
export async function expireFiles({ id }: TestTenant): Promise<void> {
  await runSql(`update platform.file set expires_at = now() - interval '1 s' where tenant_id = $1`, [id]);
}
