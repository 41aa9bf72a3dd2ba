import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Stored {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

const hex = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * What files need of S3, in memory. It refuses requests whose signature is not the one that AWS' description
 * of version 4 gives, whose hash is not that of the body, and parts that are too small.
 */
export class S3Server {
  static readonly bucket = 'files-of-tests';
  static readonly accessKeyId = 'an-id';
  static readonly secretAccessKey = 'a/secret+key';
  static readonly region = 'eu-test-1';

  readonly objects = new Map<string, Buffer>();
  /** Upload id -> the key, and the parts by number. */
  readonly uploads = new Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>();
  readonly requests: string[] = [];
  /** Answers every request with 503. */
  isAway = false;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<S3Server> {
    const server = createServer();
    const made = new S3Server(server);
    server.on('request', (request: IncomingMessage, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { status, headers = {}, body = '' } = made.#answer(request, Buffer.concat(chunks));
        response.writeHead(status, headers).end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  /** The environment variables of a program that keeps its files here. */
  get settings(): Record<string, string> {
    return {
      FILES_S3_ENDPOINT: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      FILES_S3_BUCKET: S3Server.bucket,
      FILES_S3_REGION: S3Server.region,
      FILES_S3_ACCESS_KEY_ID: S3Server.accessKeyId,
      FILES_S3_SECRET_ACCESS_KEY: S3Server.secretAccessKey,
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, body: Buffer): Stored {
    const url = new URL(request.url ?? '', 'http://x');
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    if (this.isAway) return { status: 503 };
    const problem = problemOfSignature(request, url, body);
    if (problem !== null) return { status: 403, body: `<Error><Code>${problem}</Code></Error>` };
    const [, bucket, ...path] = url.pathname.split('/');
    if (bucket !== S3Server.bucket) return { status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' };
    const key = path.join('/');
    const uploadId = url.searchParams.get('uploadId');
    if (url.searchParams.has('uploads'))
      return this.#uploads(request.method ?? '', key, url.searchParams.get('prefix'));
    if (uploadId !== null) return this.#part(request.method ?? '', uploadId, url.searchParams.get('partNumber'), body);
    return this.#object(request, key, body);
  }

  #object({ method, headers }: IncomingMessage, key: string, body: Buffer): Stored {
    if (method === 'PUT') this.objects.set(key, body);
    if (method === 'DELETE') this.objects.delete(key);
    if (method !== 'GET') return { status: method === 'DELETE' ? 204 : 200 };
    const found = this.objects.get(key);
    if (!found) return { status: 404 };
    const [, start = 0, end = 0] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
    return { status: 206, body: found.subarray(start, end + 1) };
  }

  #uploads(method: string, key: string, prefix: string | null): Stored {
    if (method === 'POST') {
      const id = randomUUID();
      this.uploads.set(id, { key, parts: new Map() });
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    const found = [...this.uploads].filter(([, upload]) => upload.key.startsWith(prefix ?? ''));
    const listed = found.map(([id, upload]) => `<Upload><Key>${upload.key}</Key><UploadId>${id}</UploadId></Upload>`);
    return { status: 200, body: `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>` };
  }

  #part(method: string, uploadId: string, partNumber: string | null, body: Buffer): Stored {
    const upload = this.uploads.get(uploadId);
    if (!upload) return { status: 404 };
    if (method === 'PUT') {
      upload.parts.set(Number(partNumber), body);
      return { status: 200, headers: { ETag: `"${hex(body)}"` } };
    }
    this.uploads.delete(uploadId);
    if (method === 'DELETE') return { status: 204 };
    const parts = [...upload.parts].sort(([a], [b]) => a - b);
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const isWhole =
      named.length === parts.length &&
      parts.every(
        ([number, part], index) => named[index]?.[1] === String(number) && named[index]?.[2] === `"${hex(part)}"`,
      );
    const isTooSmall = parts.slice(0, -1).some(([, part]) => part.length < 5 * 1024 * 1024);
    // As S3 does: a failure after the headers are out.
    if (!isWhole || isTooSmall) return { status: 200, body: '<Error><Code>InvalidPart</Code></Error>' };
    this.objects.set(upload.key, Buffer.concat(parts.map(([, part]) => part)));
    return { status: 200, body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' };
  }
}

/** AWS: "Create a signed AWS API request". */
function problemOfSignature({ method, headers }: IncomingMessage, url: URL, body: Buffer): string | null {
  const given = /^AWS4-HMAC-SHA256 Credential=(.+), ?SignedHeaders=(.+), ?Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  );
  const [, credential = '', signedHeaders = '', signature] = given ?? [];
  const [id, day = '', region, service, end] = credential.split('/');
  if (id !== S3Server.accessKeyId || region !== S3Server.region || service !== 's3' || end !== 'aws4_request') {
    return 'InvalidAccessKeyId';
  }
  const names = signedHeaders.split(';');
  if (!names.includes('host') || !names.includes('x-amz-date')) return 'AccessDenied';
  const hash = String(headers['x-amz-content-sha256']);
  if (hash !== hex(body)) return 'XAmzContentSHA256Mismatch';
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const path = decodeURIComponent(url.pathname).split('/').map(encode).join('/');
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`);
  const canonical = [method, path, query.join('&'), lines.join(''), signedHeaders, hash].join('\n');
  const date = String(headers['x-amz-date']);
  const toSign = ['AWS4-HMAC-SHA256', date, `${day}/${region}/s3/aws4_request`, hex(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${S3Server.secretAccessKey}`, day), region), 's3'), 'aws4_request');
  return hmac(key, toSign).toString('hex') === signature ? null : 'SignatureDoesNotMatch';
}
