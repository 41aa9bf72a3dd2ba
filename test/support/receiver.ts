import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { until } from './faults.ts';

/** One POST as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes, as text. */
  readonly body: string;
  readonly at: number;
}

/** What to answer: a status, and perhaps more. `hang` never answers. */
export interface Response {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly delayMs?: number;
  /** Answers when this has resolved. */
  readonly after?: Promise<unknown>;
  readonly hang?: boolean;
}

/** A real HTTP receiver on loopback. `answer` decides about each request; it may be exchanged at any time. */
export class Receiver {
  readonly received: Received[] = [];
  answer: (request: Received, index: number) => Response = () => ({});
  /** Requests that are being answered now, and the most there ever were. */
  open = 0;
  mostOpen = 0;
  readonly #server = createServer((request, response) => {
    let body = '';
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    response.once('close', () => (this.open -= 1));
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const arrived = { path: request.url ?? '', headers: request.headers, body, at: Date.now() };
      this.received.push(arrived);
      const {
        status = 200,
        headers = {},
        body: text = 'ok',
        delayMs = 0,
        after,
        hang,
      } = this.answer(arrived, this.received.length - 1);
      if (hang) return;
      void Promise.all([sleep(delayMs), after]).then(() => response.writeHead(status, headers).end(text));
    });
  });

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receivers.add(receiver);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`;
  }

  /** The target URL of one of several subscriptions that share the receiver. */
  urlOf(name: string): string {
    return `${this.url}/${name}`;
  }

  /** What has arrived at `urlOf(name)`. */
  at(name: string): Received[] {
    return this.received.filter(({ path }) => path === `/hook/${name}`);
  }

  /** Resolves when `count` requests have arrived. */
  async have(count: number, timeoutMs?: number): Promise<Received[]> {
    await until(
      `${count} requests arrive (so far ${this.received.length})`,
      () => this.received.length >= count,
      timeoutMs,
    );
    return this.received;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const receivers = new Set<Receiver>();

afterEachFile(() => {
  for (const receiver of receivers) receiver.stop();
  receivers.clear();
});
