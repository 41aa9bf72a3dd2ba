import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** Response, complete or truncated at the size limit; deadline; or an error of network or protocol. */
export type ExchangeEnd =
  | { readonly kind: 'complete' | 'truncated' | 'expired' }
  | { readonly kind: 'failed'; readonly error: Error };

/** One request, and its response up to a size limit. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** 0 until the headers of the response have arrived. */
  statusCode = 0;
  headers: IncomingHttpHeaders = {};
  readonly ended: Promise<ExchangeEnd>;
  readonly #end: (end: ExchangeEnd) => void;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    const { promise, resolve } = Promise.withResolvers<ExchangeEnd>();
    this.ended = promise;
    this.#end = resolve;
  }

  /** Body up to the limit. A truncated one omits a character that was cut in two. */
  body(isTruncated: boolean): string {
    const bytes = Buffer.concat(this.#chunks).subarray(0, this.#maxBytes);
    return new TextDecoder().decode(bytes, { stream: isTruncated });
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return; // informational responses precede the response
    this.statusCode = statusCode;
    this.headers = headers;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#size > this.#maxBytes) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.#end({ kind: 'truncated' });
  }

  onResponseEnd(): void {
    this.#end({ kind: 'complete' });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end({ kind: 'failed', error });
  }

  /** Ends the exchange at its deadline. A response that has reached the size limit counts as received. */
  expire(): void {
    this.#end({ kind: this.statusCode > 0 && this.#size >= this.#maxBytes ? 'truncated' : 'expired' });
  }
}
