import { ApplicationError } from '../../foundation/errors/application-error.ts';
import type { Counter, Metrics } from '../../foundation/metrics/metrics.ts';
import type { FileRow } from './file.entity.ts';

/** Counts files on their way in and out, and those that are removed. */
export class FileMetrics {
  readonly #uploads: Counter<never>;
  readonly #uploadedBytes: Counter<never>;
  readonly #refused: Counter<'reason'>;
  readonly #downloads: Counter<never>;
  readonly #downloadedBytes: Counter<never>;
  readonly #removals: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.#uploads = metrics.counter('file_uploads_total', 'Files that were uploaded');
    this.#uploadedBytes = metrics.counter('file_upload_bytes_total', 'Bytes of files that were uploaded');
    this.#refused = metrics.counter('file_uploads_refused_total', 'Uploads that left no file', ['reason']);
    this.#downloads = metrics.counter('file_downloads_total', 'Files, or parts of them, that were sent');
    this.#downloadedBytes = metrics.counter('file_download_bytes_total', 'Bytes of files that were sent');
    this.#removals = metrics.counter('file_removals_total', 'Files whose bytes were to be removed', ['outcome']);
  }

  /** Counts an upload, or its refusal. */
  async counted(upload: Promise<FileRow>): Promise<FileRow> {
    try {
      const file = await upload;
      this.#uploads.inc();
      this.#uploadedBytes.inc(Number(file.size));
      return file;
    } catch (error) {
      const { code, data } = error instanceof ApplicationError ? error : { code: 'INTERNAL_ERROR', data: null };
      this.#refused.inc({ reason: typeof data?.reason === 'string' ? data.reason : code });
      throw error;
    }
  }

  /** Counts bytes that are sent, as they pass. */
  async *sent(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    this.#downloads.inc();
    for await (const chunk of bytes) {
      this.#downloadedBytes.inc(chunk.length);
      yield chunk;
    }
  }

  removed(outcome: 'removed' | 'failed'): void {
    this.#removals.inc({ outcome });
  }
}
