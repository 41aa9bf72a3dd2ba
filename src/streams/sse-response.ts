import type { ServerResponse } from 'node:http';
import type { StreamEntry } from './stream-entry.ts';
import type { Gap, Sink } from './subscription.ts';

/** After so long a client that lost its stream should come back. */
const RETRY_MS = 2_000;
/** The same for all clients of a node that stops: spread, so that they do not arrive elsewhere at once. */
const RETRY_ELSEWHERE_MS = { from: 100, to: 1_000 };
/** A client that has not read its last events in this time never will. */
const LINGER_MS = 5_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** An answer as server-sent events. Spec: "Other events and streams". */
export class SseResponse implements Sink {
  readonly #response: ServerResponse;

  /** Sends the headers: from here on nothing can be answered with an envelope. */
  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, HEADERS);
    response.write(`retry: ${RETRY_MS}\n\n`);
  }

  event({ id, event, data }: StreamEntry): boolean {
    return this.#response.write(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`);
  }

  /** Has no id: a client that comes back goes on after the last event it got. */
  gap(gap: Gap): void {
    this.#response.write(`event: gap\ndata: ${JSON.stringify(gap)}\n\n`);
  }

  /** The caller may not read on. */
  revoked(code: string, message: string): void {
    this.#response.write(`event: revoked\ndata: ${JSON.stringify({ code, message })}\n\n`);
  }

  /** A comment, so that nothing in between takes the connection for dead. A full connection is busy enough. */
  ping(): void {
    if (!this.#response.writableNeedDrain) this.#response.write(': ping\n\n');
  }

  /** Asks the client to come back soon: another node will have it. */
  goElsewhere(): void {
    const { from, to } = RETRY_ELSEWHERE_MS;
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
