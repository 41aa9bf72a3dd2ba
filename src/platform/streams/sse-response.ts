import type { ServerResponse } from 'node:http';
import type { StreamEntry } from './stream-entry.ts';
import type { Gap, StreamSink } from './stream-reader.ts';
import { CLIENT_RETRY_ELSEWHERE_MS, CLIENT_RETRY_MS, LINGER_MS } from './streams.limits.ts';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** Response with server-sent events. Spec: "Other events and streams". */
export class SseResponse implements StreamSink {
  readonly #response: ServerResponse;

  /** Sends the headers; an envelope is impossible afterwards. */
  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, HEADERS);
    response.write(`retry: ${CLIENT_RETRY_MS}\n\n`);
  }

  event({ id, event, data }: StreamEntry): boolean {
    return this.#response.write(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`);
  }

  /** Sent without an id, so that a client resumes after its last event. */
  gap(gap: Gap): void {
    this.#response.write(`event: gap\ndata: ${JSON.stringify(gap)}\n\n`);
  }

  /** Reports that the caller may no longer read the stream. */
  revoked(code: string, message: string): void {
    this.#response.write(`event: revoked\ndata: ${JSON.stringify({ code, message })}\n\n`);
  }

  /** Sends a comment that keeps the connection open, unless data is waiting to be sent. */
  ping(): void {
    if (!this.#response.writableNeedDrain) this.#response.write(': ping\n\n');
  }

  /** Asks the client to reconnect soon, to another node. */
  reconnectElsewhere(): void {
    const { from, to } = CLIENT_RETRY_ELSEWHERE_MS;
    this.#response.write(`retry: ${Math.round(from + Math.random() * (to - from))}\n\n`);
  }

  async drained(): Promise<void> {
    const response = this.#response;
    if (!response.writableNeedDrain || response.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.on('drain', done);
      response.on('close', done);
    });
  }

  end(): void {
    this.#response.end();
    const lingering = setTimeout(() => this.#response.destroy(), LINGER_MS);
    this.#response.once('close', () => clearTimeout(lingering));
  }
}
