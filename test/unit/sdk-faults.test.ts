import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, NetworkError, RateLimitError, UnavailableError, type Client } from '../../sdk/src/index.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface Received {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
}

let server: Server;
let handlers: Handler[] = [];
let received: Received[] = [];
let client: Client;
const pauses: number[] = [];

const answer =
  (status: number, code = '0', data: unknown = null, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-trace-id': 'trace-1', ...headers });
    response.end(JSON.stringify({ code, message: code, data }));
  };
const hangUp: Handler = (request) => request.socket.destroy();
const stream =
  (text: string, { isBroken = false } = {}): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => (isBroken ? response.destroy() : response.end()));
  };

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push({ method: request.method ?? '', headers: request.headers });
    const handler = handlers.shift() ?? answer(500, 'INTERNAL_ERROR');
    request.resume().once('end', () => handler(request, response));
    if (handler === hangUp) hangUp(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());
beforeEach(() => {
  [handlers, received] = [[], []];
  pauses.length = 0;
  const { port } = server.address() as AddressInfo;
  const onRetry = (_error: Error, delayMs: number): void => void pauses.push(delayMs);
  client = createClient({ url: `http://127.0.0.1:${port}/`, token: 'key', onRetry });
});

const create = (options = {}): Promise<unknown> => client.command('crm:create_lead')({ name: 'Ada' }, options);
const keys = (): unknown[] => received.map(({ headers }) => headers['x-idempotent-key']);

describe('a request of @keelson/client', () => {
  it('is repeated after a lost answer with the same key, so that it is done once', async () => {
    handlers = [hangUp, answer(504), answer(200, 'IDEMPOTENT_REPLAY', { pid: 'A' })];

    expect(await create()).toEqual({ pid: 'A' });
    expect(new Set(keys())).toEqual(new Set([expect.stringMatching(/^[0-9a-f]{32}$/)]));
    expect(received).toHaveLength(3);
  });

  it('has a key of its own in each call, unless one is given', async () => {
    handlers = [answer(200), answer(200), answer(200)];
    await create();
    await create();
    await create({ idempotencyKey: 'mine' });

    expect(new Set(keys()).size).toBe(3);
    expect(keys()[2]).toBe('mine');
  });

  it('is not repeated without a key when it may have been done', async () => {
    handlers = [hangUp];
    await expect(client.request('POST', '/api/webhooks', { body: {} })).rejects.toThrow(NetworkError);
    handlers = [answer(503, 'SERVICE_UNAVAILABLE')];
    await expect(client.request('POST', '/api/webhooks', { body: {} })).rejects.toThrow(UnavailableError);

    expect(received).toHaveLength(2);
  });

  it('waits as long as Retry-After says, whatever the method', async () => {
    handlers = [answer(429, 'RATE_LIMITED', null, { 'retry-after': '0' }), answer(200)];
    await client.request('POST', '/api/webhooks', { body: {} });

    expect(pauses).toEqual([0]);
  });

  it('is an error at once where that is too long, with the time in it', async () => {
    handlers = [answer(429, 'RATE_LIMITED', { retryAfterSeconds: 3_600 }, { 'retry-after': '3600' })];
    const failed = client.page('leads').list();

    await expect(failed).rejects.toThrow(RateLimitError);
    await expect(failed).rejects.toMatchObject({ retryAfter: 3_600, status: 429, traceId: 'trace-1' });
  });

  it('waits again for a first request that still runs', async () => {
    handlers = [hangUp, answer(409, 'CONFLICT', { reason: 'IN_PROGRESS' }), answer(200, '0', 1)];

    expect(await create()).toBe(1);
  });

  it('is repeated twice at most', async () => {
    handlers = [answer(503), answer(503), answer(503)];

    await expect(client.page('leads').list()).rejects.toThrow(UnavailableError);
    expect(received).toHaveLength(3);
    expect(pauses).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it('ends at the signal while it waits for a repeat', async () => {
    const stop = new AbortController();
    handlers = [answer(503, 'SERVICE_UNAVAILABLE', null, { 'retry-after': '60' })];
    const waiting = client.page('leads').list({ signal: stop.signal });
    waiting.catch(() => undefined);
    while (pauses.length === 0) await new Promise(setImmediate);
    stop.abort(new Error('left'));

    await expect(waiting).rejects.toThrow('left');
  });

  it('says what answers in place of Keelson', async () => {
    const page: Handler = (_request, response) => response.writeHead(200).end('<html>');
    const elsewhere: Handler = (_request, response) => response.writeHead(302, { location: 'http://x.test/' }).end();
    handlers = [page, elsewhere];

    await expect(client.page('leads').list()).rejects.toThrow('answers 200, and is not Keelson');
    await expect(client.page('leads').list()).rejects.toThrow('redirects to http://x.test/');
  });
});

describe('a stream of @keelson/client', () => {
  const event = (id: number, name: string, data: unknown): string =>
    `id: 1-${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

  it('goes on after its last event when the connection is lost, and ends with the event end', async () => {
    handlers = [
      stream(`retry: 1\n\n: ping\n\n${event(1, 'step', { text: 'ä: b' })}id: 1-2\nevent: st`, { isBroken: true }),
      answer(503, 'SERVICE_UNAVAILABLE', null, { 'retry-after': '0' }),
      stream(event(2, 'gap', { from: '1-1', to: '1-5', lost: 3 }) + event(5, 'end', null)),
    ];
    const events = [];
    for await (const one of client.stream('/api/automations/runs/R/stream')) events.push(one);

    expect(events).toEqual([
      { id: '1-1', event: 'step', data: { text: 'ä: b' } },
      { id: '1-2', event: 'gap', data: { from: '1-1', to: '1-5', lost: 3 } },
      { id: '1-5', event: 'end', data: null },
    ]);
    expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1-1', '1-1']);
  });

  it('learns from the next request what has become of its session', async () => {
    handlers = [
      stream(`retry: 1\n\n${event(1, 'revoked', { code: 'FORBIDDEN', message: 'no' })}`),
      answer(403, 'FORBIDDEN', { permission: 'record:read:lead' }),
    ];

    await expect(client.stream('/x').next()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('frees its connection when it is left', async () => {
    let isClosed = false;
    handlers = [
      (_request, response) => {
        response.once('close', () => (isClosed = true));
        response.writeHead(200).write(event(1, 'step', 1));
      },
    ];
    for await (const { data } of client.stream('/x')) if (data === 1) break;
    while (!isClosed) await new Promise(setImmediate);

    expect(received).toHaveLength(1);
  });
});
