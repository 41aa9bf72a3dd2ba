import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** How an exchange ended: with a response, with an error of network or protocol, or at the deadline. */
export type ExchangeEnd =
  { readonly kind: 'complete' | 'cut' | 'late' } | { readonly kind: 'failed'; readonly error: Error };

/** One request and as much of its response as the caller wants. */
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

  /** The body as far as it was read. A character that was cut in two is left out. */
  body(cut: boolean): string {
    const bytes = Buffer.concat(this.#chunks).subarray(0, this.#maxBytes);
    return new TextDecoder().decode(bytes, { stream: cut });
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return; // "Early Hints" and the like precede the response
    this.statusCode = statusCode;
    this.headers = headers;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#size > this.#maxBytes) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.#end({ kind: 'cut' });
  }

  onResponseEnd(): void {
    this.#end({ kind: 'complete' });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end({ kind: 'failed', error });
  }

  /** The deadline. An endpoint that has said as much as the caller wants has answered, even if it is not done. */
  late(): void {
    this.#end({ kind: this.statusCode > 0 && this.#size >= this.#maxBytes ? 'cut' : 'late' });
  }
}
