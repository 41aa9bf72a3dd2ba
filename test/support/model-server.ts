import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { until } from './faults.ts';

/** What the server is asked, as OpenAI's chat completions have it. */
export interface Asked {
  readonly headers: IncomingHttpHeaders;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly at: number;
  /** Whether the client has hung up before the answer was complete. */
  hungUp: boolean;
}

export interface Script {
  /** An error in place of a stream. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** The pieces of the text. */
  readonly text?: readonly string[];
  readonly calls?: readonly { name: string; arguments: unknown }[];
  /** From one piece to the next. */
  readonly delayMs?: number;
  /** Breaks the connection after the pieces. */
  readonly cut?: boolean;
  /** Never answers (`headers`), or says nothing more after the pieces. */
  readonly hang?: 'headers' | 'pieces';
}

/**
 * A server of OpenAI's protocol on loopback. `answer` decides about each request; it may be exchanged at any
 * time.
 */
export class ModelServer {
  readonly asked: Asked[] = [];
  answer: (asked: Asked, index: number) => Script = () => ({ text: ['ok'] });
  readonly #server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const asked: Asked = { headers: request.headers, body: JSON.parse(text), at: Date.now(), hungUp: false };
      this.asked.push(asked);
      response.once('close', () => (asked.hungUp = !response.writableFinished));
      void play(this.answer(asked, this.asked.length - 1), response);
    });
  });

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    servers.add(server);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`;
  }

  /** Resolves when so many requests have come. */
  async have(count: number, timeoutMs?: number): Promise<Asked[]> {
    await until(`${count} questions`, () => this.asked.length >= count, timeoutMs);
    return this.asked;
  }

  forget(): void {
    this.asked.length = 0;
    this.answer = () => ({ text: ['ok'] });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function play(script: Script, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, text = [], calls = [], delayMs = 0, cut, hang } = script;
  if (hang === 'headers') return;
  if (status !== 200) {
    const error = { message: `secret details of ${status}`, type: 'test' };
    return void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  const send = (delta: object, reason: string | null = null): boolean => {
    const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] };
    return response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  send({ role: 'assistant', content: '' });
  for (const content of text) {
    if (response.destroyed) return;
    send({ content });
    await sleep(delayMs);
  }
  for (const [index, call] of calls.entries()) {
    // As the real one does it: the name first, then the arguments in pieces.
    const given = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const half = Math.ceil(given.length / 2);
    send({ tool_calls: [{ index, id: `x${index}`, type: 'function', function: { name: call.name, arguments: '' } }] });
    send({ tool_calls: [{ index, function: { arguments: given.slice(0, half) } }] });
    send({ tool_calls: [{ index, function: { arguments: given.slice(half) } }] });
  }
  if (hang) return;
  if (cut) return void setTimeout(() => response.destroy(), 20);
  send({}, calls.length > 0 ? 'tool_calls' : 'stop');
  response.end('data: [DONE]\n\n');
}

const servers = new Set<ModelServer>();

afterEachFile(() => {
  for (const server of servers) server.stop();
  servers.clear();
});
