import { AwsClient } from 'aws4fetch';
import type { S3Config } from '../../../foundation/config/config.ts';
import { unavailable } from '../../../foundation/errors/application-error.ts';
import type { ByteRange } from './file-store.ts';
import { S3_PING_TIMEOUT_MS, S3_RETRIES, S3_TIMEOUT_MS } from '../files.limits.ts';

/** Is no part of any key: those begin with a tenant's id. */
const NO_KEY = 'ping';

interface Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly range?: ByteRange;
  readonly body?: Buffer | string;
  readonly timeoutMs?: number;
}

/**
 * The requests of S3's API that files need, by path-style addresses. The endpoint is the operator's.
 * All of its methods throw SERVICE_UNAVAILABLE for a store that cannot be reached or refuses.
 */
export class S3Client {
  readonly #base: string;
  readonly #client: AwsClient;

  constructor({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Config) {
    this.#base = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`;
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: S3_RETRIES });
  }

  async putObject(key: string, body: Buffer): Promise<void> {
    await this.#send({ method: 'PUT', key, body });
  }

  async getObject(key: string, range: ByteRange): Promise<Buffer> {
    const { bytes } = await this.#send({ method: 'GET', key, range });
    if (bytes.length !== range.end - range.start + 1) throw refused(`${bytes.length} bytes of ${key}`);
    return bytes;
  }

  /** Of an object that is not there, too. */
  async deleteObject(key: string): Promise<void> {
    await this.#send({ method: 'DELETE', key });
  }

  /** @returns the id of the upload */
  async beginUpload(key: string): Promise<string> {
    const { bytes } = await this.#send({ method: 'POST', key, query: { uploads: '' } });
    const [uploadId] = uploadIdsIn(bytes);
    if (uploadId === undefined) throw refused('no UploadId');
    return uploadId;
  }

  /** @param partNumber from 1 @returns the ETag of the part */
  async uploadPart(key: string, uploadId: string, partNumber: number, body: Buffer): Promise<string> {
    const { headers } = await this.#send({
      method: 'PUT',
      key,
      query: { partNumber: String(partNumber), uploadId },
      body,
    });
    const etag = headers.get('etag');
    if (etag === null) throw refused('no ETag');
    return etag;
  }

  async completeUpload(key: string, uploadId: string, etags: readonly string[]): Promise<void> {
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const { bytes } = await this.#send({ method: 'POST', key, query: { uploadId }, body });
    // S3 answers 200 before it knows whether it will succeed.
    if (!bytes.includes('<CompleteMultipartUploadResult')) throw refused(bytes.toString('utf8', 0, 500));
  }

  /** Gives up all uploads of an object. */
  async abortUploads(key: string): Promise<void> {
    const { bytes } = await this.#send({ method: 'GET', query: { uploads: '', prefix: key } });
    for (const uploadId of uploadIdsIn(bytes)) await this.#send({ method: 'DELETE', key, query: { uploadId } });
  }

  /** Asks for something that files need as well, so it needs no right of its own. */
  async ping(): Promise<void> {
    const query = { uploads: '', prefix: NO_KEY, 'max-uploads': '1' };
    await this.#send({ method: 'GET', query, timeoutMs: S3_PING_TIMEOUT_MS });
  }

  async #send({
    method,
    key,
    query = {},
    range,
    body = '',
    timeoutMs = S3_TIMEOUT_MS,
  }: Request): Promise<{ bytes: Buffer; headers: Headers }> {
    const url = new URL(key === undefined ? this.#base : `${this.#base}/${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const bytes = Buffer.from(body);
    const digest = await crypto.subtle.digest('SHA-256', bytes);
    const headers = {
      'X-Amz-Content-Sha256': Buffer.from(digest).toString('hex'),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    };
    const init = { method, headers, ...(bytes.length > 0 && { body: bytes }), signal: AbortSignal.timeout(timeoutMs) };
    try {
      const response = await this.#client.fetch(url, init);
      const answered = Buffer.from(await response.arrayBuffer());
      const isGone = method === 'DELETE' && response.status === 404;
      if (response.ok || isGone) return { bytes: answered, headers: response.headers };
      throw new Error(`${method} ${url.pathname}: ${response.status} ${answered.toString('utf8', 0, 500)}`);
    } catch (error) {
      throw unavailable('s3', error);
    }
  }
}

function uploadIdsIn(xml: Buffer): string[] {
  return [...xml.toString('utf8').matchAll(/<UploadId>([^<]+)<\/UploadId>/g)].map(([, id]) => id as string);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function refused(answer: string): Error {
  return unavailable('s3', new Error(`unexpected answer: ${answer}`));
}
