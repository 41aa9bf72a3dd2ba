import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { until } from './faults.ts';

export interface StreamedEvent {
  readonly id: string | null;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export interface WatchOptions {
  readonly token?: string;
  readonly baseUrl?: string;
  readonly lastEventId?: string | null;
  readonly headers?: Record<string, string>;
}

const watched = new Set<Watched>();

/** A client of a stream of server-sent events, as a browser's loop would read it. */
export class Watched {
  readonly events: StreamedEvent[] = [];
  readonly comments: string[] = [];
  readonly retries: number[] = [];
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** What was answered in place of a stream. */
  text = '';
  /** Whether the server has ended the stream, or the connection broke. */
  isOver = false;
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  #rest = '';

  constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#read(chunk));
    response.on('error', () => undefined);
    response.on('close', () => (this.isOver = true));
  }

  get lastEventId(): string | null {
    return this.events.findLast(({ id }) => id !== null)?.id ?? null;
  }

  named(name: string): StreamedEvent[] {
    return this.events.filter(({ event }) => event === name);
  }

  /** Waits until so many events of a name have come. */
  async get(count: number, name: string, timeoutMs?: number): Promise<StreamedEvent[]> {
    await until(`${count} events ${name}`, () => this.named(name).length >= count, timeoutMs);
    return this.named(name);
  }

  over(timeoutMs?: number): Promise<boolean> {
    return until('the stream is over', () => this.isOver, timeoutMs);
  }

  /** Stops reading from the connection; what the server sends piles up there. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  leave(): void {
    this.#request.destroy();
    watched.delete(this);
  }

  #read(chunk: string): void {
    if (this.status !== 200) {
      this.text += chunk;
      return;
    }
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#take(block);
  }

  #take(block: string): void {
    if (block.startsWith(':')) return void this.comments.push(block);
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
    if (fields.retry) this.retries.push(Number(fields.retry));
    const { id = null, event, data = 'null' } = fields as Record<string, string>;
    if (event) this.events.push({ id, event, data: JSON.parse(data) });
  }
}

/** Opens a stream, on the shared node unless told otherwise; resolves when the answer's headers are there. */
export async function watch(path: string, options: WatchOptions = {}): Promise<Watched> {
  const { token, baseUrl = process.env.KEELSON_TEST_URL ?? '', lastEventId } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (token) headers.authorization = `Bearer ${token}`;
  if (lastEventId) headers['last-event-id'] = lastEventId;
  return new Promise((resolve, reject) => {
    const request = get(`${baseUrl}${path}`, { headers, agent: false }, (response) => {
      const opened = new Watched(request, response);
      watched.add(opened);
      resolve(opened);
    });
    request.on('error', reject);
  });
}

afterEachFile(() => {
  for (const opened of watched) opened.leave();
});
