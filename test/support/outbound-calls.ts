import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import type { NameResolver } from '../../src/foundation/outbound/name-resolver.ts';
import { OutboundHttp, type OutboundRequest } from '../../src/foundation/outbound/outbound-http.ts';
import { httpEndpoint, listen, type Endpoint } from './endpoint.ts';

export const LOOPBACK = ['127.0.0.0/8', '::1/128'];

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A client and the endpoint that it calls, for the tests of one file. Each test has a client of its own. */
export function outboundCalls() {
  /** Answers what the test says; the rule that judges the answers is the real one. */
  const names: Record<string, readonly string[] | Promise<readonly string[]>> = {};
  const resolver: NameResolver = {
    resolve: async (name) => (await names[name]) ?? Promise.reject(new Error('no such name')),
  };
  const answers: Record<string, Answer> = {};
  let endpoint: Endpoint;
  let client: OutboundHttp;
  /** What is closed after the test. */
  const open: { close(): unknown }[] = [];

  beforeAll(async () => {
    endpoint = await httpEndpoint((request, response) => {
      const answer = answers[request.url ?? ''];
      if (answer) answer(request, response);
      else response.end('ok');
    });
  });
  beforeEach(() => {
    client = new OutboundHttp(LOOPBACK, resolver);
    endpoint.received.length = 0;
    endpoint.connections.length = 0;
  });
  afterEach(async () => {
    client.close();
    for (const one of open.splice(0)) await one.close();
  });
  afterAll(() => endpoint.close());

  return {
    names,
    answers,
    open,
    get endpoint() {
      return endpoint;
    },
    get base() {
      return `http://127.0.0.1:${endpoint.port}`;
    },
    get client() {
      return client;
    },
    set client(other) {
      client = other;
    },
    send: async (url: string, rest: Partial<OutboundRequest> = {}) => {
      const outcome = await client.send({ url, method: 'POST', body: '{}', timeoutMs: 60_000, ...rest });
      return outcome.kind === 'error' ? { ...outcome, message: String(outcome.message) } : outcome;
    },
    /** A server that speaks bytes, not HTTP. */
    rawEndpoint: async (onSocket: (socket: Socket) => void): Promise<Omit<Endpoint, 'received'>> => {
      const server = await listen(createServer((socket) => socket.once('data', () => onSocket(socket))));
      open.push(server);
      return server;
    },
  };
}

/** The outcome of a call that failed. */
export const callError = (errorClass: string, message: string, ip: string | null) => ({
  kind: 'error',
  errorClass,
  message,
  ip,
  durationMs: expect.any(Number),
});
