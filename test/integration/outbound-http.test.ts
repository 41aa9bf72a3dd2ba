import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { NameResolver } from '../../src/foundation/outbound/name-resolver.ts';
import { OutboundHttp, type OutboundRequest } from '../../src/foundation/outbound/outbound-http.ts';
import { certificateFor } from '../support/certificate.ts';
import { httpEndpoint, listen, type Endpoint } from '../support/endpoint.ts';
import { until } from '../support/faults.ts';
import { freePort } from '../support/program.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Answers what the test says; the rule that judges the answers is the real one. */
const names: Record<string, readonly string[] | Promise<readonly string[]>> = {};
const resolver: NameResolver = {
  resolve: async (name) => (await names[name]) ?? Promise.reject(new Error('no such name')),
};

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const answers: Record<string, Answer> = {};
let endpoint: Endpoint;
let base: string;
let client: OutboundHttp;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  endpoint = await httpEndpoint((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer) answer(request, response);
    else response.end('ok');
  });
  base = `http://127.0.0.1:${endpoint.port}`;
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

const send = async (url: string, rest: Partial<OutboundRequest> = {}) => {
  const outcome = await client.send({ url, method: 'POST', body: '{}', timeoutMs: 5_000, ...rest });
  return outcome.kind === 'error' ? { ...outcome, message: String(outcome.message) } : outcome;
};

/** A server that speaks bytes, not HTTP. */
async function rawEndpoint(onSocket: (socket: Socket) => void): Promise<Omit<Endpoint, 'received'>> {
  const server = await listen(createServer((socket) => socket.once('data', () => onSocket(socket))));
  open.push(server);
  return server;
}

const error = (errorClass: string, message: string, ip: string | null) => ({
  ...{ kind: 'error', errorClass, message, ip, durationMs: expect.any(Number) },
});

describe('a request', () => {
  it('arrives as it was given, and its response comes back with the address it went to', async () => {
    answers['/hook?a=1'] = (_request, response) => {
      response.setHeader('X-Reply', ['a', 'b']).writeHead(201).end('grüße');
    };

    const outcome = await send(`${base}/hook?a=1#part`, { headers: { 'X-Webhook-Event': 'é' }, body: 'Ünïcode' });

    expect(outcome).toEqual({
      kind: 'response',
      statusCode: 201,
      headers: expect.objectContaining({ 'x-reply': 'a, b' }),
      body: 'grüße',
      truncated: false,
      ip: '127.0.0.1',
      durationMs: expect.any(Number),
    });
    expect(endpoint.received).toEqual([
      {
        method: 'POST',
        path: '/hook?a=1',
        body: 'Ünïcode',
        headers: {
          host: `127.0.0.1:${endpoint.port}`,
          connection: 'keep-alive',
          'accept-encoding': 'identity',
          'x-webhook-event': 'é',
          'content-length': '9',
        },
      },
    ]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const)('can be a %s', async (method) => {
    expect(await send(base, { method, body: undefined })).toMatchObject({ kind: 'response', statusCode: 200 });
    expect(endpoint.received).toMatchObject([{ method, body: '' }]);
  });

  it('goes to the name that it was given as Host, at the address that was judged', async () => {
    names['hooks.example.com'] = ['127.0.0.1'];

    const outcome = await send(`http://hooks.example.com:${endpoint.port}/`);

    expect(outcome).toMatchObject({ kind: 'response', ip: '127.0.0.1' });
    expect(endpoint.received[0]?.headers.host).toBe(`hooks.example.com:${endpoint.port}`);
  });

  it('goes to the next address of a name when one does not answer', async () => {
    names['two.example.com'] = ['127.0.0.2', '::1', '127.0.0.1'];

    expect(await send(`http://two.example.com:${endpoint.port}/`)).toMatchObject({ kind: 'response', ip: '127.0.0.1' });
    expect(endpoint.received).toHaveLength(1);
  });

  it('takes a redirect for the answer, and does not follow it', async () => {
    answers['/old'] = (_request, response) => response.writeHead(307, { location: '/new' }).end();

    expect(await send(`${base}/old`)).toMatchObject({ statusCode: 307, headers: { location: '/new' } });
    expect(endpoint.received.map(({ path }) => path)).toEqual(['/old']);
  });

  it('asks no proxy, whatever the environment says', async () => {
    const proxy = await httpEndpoint((_request, response) => response.end('proxy'));
    open.push(proxy);
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    process.env.NODE_USE_ENV_PROXY = '1';
    client = new OutboundHttp(LOOPBACK);

    expect(await send(base)).toMatchObject({ body: 'ok' });

    for (const name of [...names, 'NODE_USE_ENV_PROXY']) delete process.env[name];
    expect(proxy.connections).toEqual([]);
  });

  it('is sent once: an endpoint that hangs up on it may have acted on it', async () => {
    answers['/hang-up'] = (request) => request.socket.destroy();

    expect(await send(`${base}/hang-up`)).toEqual(
      error('http', 'the connection was closed before the response was complete', '127.0.0.1'),
    );
    expect(endpoint.received).toHaveLength(1);
  });
});

describe('headers of the caller', () => {
  const own = ['Host', 'hOsT', 'CONTENT-LENGTH', 'Transfer-Encoding', 'connection', 'Keep-Alive', 'Upgrade', 'TE'];

  it.each([...own, 'Trailer', 'Expect', 'Proxy-Authorization', 'proxy-connection', 'Accept-Encoding'])(
    'must not contain %s',
    async (name) => {
      expect(await send(base, { headers: { [name]: 'x' } })).toEqual(
        error('blocked', `the header ${name} must not be set`, null),
      );
      expect(endpoint.connections).toEqual([]);
    },
  );

  it('must not bring further headers or requests along', async () => {
    const values = ['a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\0b', 'a\u010a', 'a\u{1F600}', '\x7f'];
    for (const value of values) {
      const message = 'the header X-Custom has a character that is not allowed';
      expect(await send(base, { headers: { 'X-Custom': value } })).toEqual(error('blocked', message, null));
    }
    for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'é', ':path']) {
      expect(await send(base, { headers: { [name]: 'x' } })).toMatchObject({ errorClass: 'blocked', ip: null });
    }
    expect(endpoint.connections).toEqual([]);
  });
});

describe('the body of a response', () => {
  const many =
    (size: number): Answer =>
    (_request, response) =>
      void response.end('x'.repeat(size));

  it('is whole up to 16 KiB', async () => {
    answers['/full'] = many(16_384);

    expect(await send(`${base}/full`)).toMatchObject({ truncated: false, body: 'x'.repeat(16_384) });
  });

  it('is cut there, and the connection with it', async () => {
    answers['/over'] = many(16_385);

    expect(await send(`${base}/over`)).toMatchObject({ statusCode: 200, truncated: true, body: 'x'.repeat(16_384) });
    await until('the connection is closed', async () => endpoint.connections[0]?.destroyed === true);
  });

  it('is cut where the caller says, between characters', async () => {
    answers['/euro'] = (_request, response) => response.end('€€');

    expect(await send(`${base}/euro`, { maxResponseBytes: 4 })).toMatchObject({ truncated: true, body: '€' });
    expect(await send(`${base}/euro`, { maxResponseBytes: 0 })).toMatchObject({ truncated: true, body: '' });
    expect(await send(`${base}/euro`, { maxResponseBytes: 6 })).toMatchObject({ truncated: false, body: '€€' });
  });

  it('may be endless: what was read counts', async () => {
    let sent = 0;
    answers['/endless'] = (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    };

    const outcome = await send(`${base}/endless`);

    expect(outcome).toMatchObject({ kind: 'response', statusCode: 200, truncated: true });
    await until('the connection is closed', async () => endpoint.connections[0]?.destroyed === true);
    expect(sent).toBeLessThan(20_000_000);
  });

  it('is not unpacked: a small one cannot become a large one', async () => {
    const packed = gzipSync(Buffer.alloc(10_000_000));
    answers['/bomb'] = (_request, response) => response.setHeader('content-encoding', 'gzip').end(packed);

    const outcome = await send(`${base}/bomb`, { maxResponseBytes: 100_000 });

    expect(outcome).toMatchObject({ kind: 'response', headers: { 'content-encoding': 'gzip' }, truncated: false });
    expect((outcome as { body: string }).body.length).toBeLessThanOrEqual(packed.length);
  });
});

describe('the deadline', () => {
  const late = (ms: number, ip: string | null) =>
    error('timeout', `there was no complete response within ${ms} ms`, ip);

  it('is for an answer that does not begin', async () => {
    answers['/silent'] = () => {};

    const outcome = await send(`${base}/silent`, { timeoutMs: 1_000 });

    expect(outcome).toEqual(late(1_000, '127.0.0.1'));
    expect(outcome.durationMs).toBeGreaterThanOrEqual(999);
    await until('the connection is closed', async () => endpoint.connections[0]?.destroyed === true);
  });

  it('is for a body that drips, however steadily', async () => {
    answers['/drip'] = (request, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      request.socket.on('close', () => clearInterval(timer));
    };

    expect(await send(`${base}/drip`, { timeoutMs: 1_000 })).toEqual(late(1_000, '127.0.0.1'));
    await until('the connection is closed', async () => endpoint.connections[0]?.destroyed === true);
  });

  it('does not undo an answer of which enough has dripped in', async () => {
    answers['/drip'] = (request, response) => {
      const timer = setInterval(() => response.write('x'), 5);
      request.socket.on('close', () => clearInterval(timer));
    };
    answers['/stall'] = (_request, response) => void response.write('xxx');

    expect(await send(`${base}/drip`, { timeoutMs: 5_000, maxResponseBytes: 3 })).toMatchObject({
      ...{ kind: 'response', statusCode: 200, body: 'xxx', truncated: true },
    });
    expect(await send(`${base}/stall`, { timeoutMs: 1_500, maxResponseBytes: 3 })).toMatchObject({
      ...{ kind: 'response', statusCode: 200, body: 'xxx', truncated: true },
    });
  });

  it('is for headers that drip, and for early hints without end', async () => {
    const drip = await rawEndpoint((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-A: ');
      const timer = setInterval(() => socket.write('a'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const hints = await rawEndpoint((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });

    for (const { port } of [drip, hints]) {
      expect(await send(`http://127.0.0.1:${port}/`, { timeoutMs: 1_000 })).toEqual(late(1_000, '127.0.0.1'));
    }
  });

  it('is for a name server and for a TLS handshake that do not answer', async () => {
    names['slow.example.com'] = new Promise(() => {});
    const mute = await rawEndpoint(() => {});

    expect(await send('http://slow.example.com/', { timeoutMs: 1_000 })).toEqual(late(1_000, null));
    expect(await send(`https://127.0.0.1:${mute.port}/`, { timeoutMs: 1_000 })).toEqual(late(1_000, '127.0.0.1'));
    await until('the connection is closed', async () => mute.connections[0]?.destroyed === true);
  });
});

describe('an endpoint that cannot be called', () => {
  it('is dns when its name has no address', async () => {
    names['empty.example.com'] = [];
    for (const host of ['nowhere.example.com', 'empty.example.com']) {
      expect(await send(`http://${host}/`)).toEqual(error('dns', 'the host cannot be resolved', null));
    }
  });

  it('is refused when nobody listens', async () => {
    const port = await freePort();
    names['both.example.com'] = ['127.0.0.1', '::1'];

    for (const host of ['127.0.0.1', 'both.example.com']) {
      expect(await send(`http://${host}:${port}/`)).toEqual(
        error('refused', 'the connection was refused', '127.0.0.1'),
      );
    }
  });

  it('is http when it speaks something else, or stops in the middle', async () => {
    const cases: [string, string][] = [
      ['220 mail.example.com ESMTP\r\n', 'the response is not HTTP'],
      [`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`, 'the response headers are too large'],
      [
        'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
        'the connection was closed before the response was complete',
      ],
      ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 'the connection was closed'],
      ['', 'the connection was closed before the response was complete'],
    ];
    for (const [bytes, message] of cases) {
      const { port } = await rawEndpoint((socket) => socket.end(bytes));
      const outcome = await send(`http://127.0.0.1:${port}/`);
      expect([bytes.slice(0, 20), outcome]).toEqual([
        bytes.slice(0, 20),
        error('http', expect.stringContaining(message) as unknown as string, '127.0.0.1'),
      ]);
    }
  });
});

describe('an https endpoint', () => {
  const trusted = getCACertificates('default');
  const good = certificateFor('secure.example.com');
  const expired = certificateFor('expired.example.com', true);
  beforeAll(() => setDefaultCACertificates([...trusted, good.cert, expired.cert]));
  afterAll(() => setDefaultCACertificates(trusted));

  const secure = async (certificate = good): Promise<number> => {
    const server = await httpEndpoint((_request, response) => response.end('secret'), { certificate });
    open.push(server);
    for (const host of ['secure', 'expired', 'other']) names[`${host}.example.com`] = ['127.0.0.1'];
    return server.port;
  };

  it('is called by its name, and its certificate is checked against that', async () => {
    const port = await secure();

    expect(await send(`https://secure.example.com:${port}/`)).toMatchObject({ body: 'secret', ip: '127.0.0.1' });
    expect(await send(`https://secure.example.com.:${port}/`)).toMatchObject({ errorClass: 'dns' });
    for (const host of ['other.example.com', '127.0.0.1']) {
      expect(await send(`https://${host}:${port}/`)).toEqual(
        error('tls', 'the certificate is for another host', '127.0.0.1'),
      );
    }
  });

  it('is tls when its certificate has expired or nobody vouches for it, whatever the environment says', async () => {
    const stranger = await secure(certificateFor('secure.example.com'));
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

    const strange = await send(`https://secure.example.com:${stranger}/`);
    const old = await send(`https://expired.example.com:${await secure(expired)}/`);

    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    expect(strange).toEqual(error('tls', 'the certificate is not from a trusted authority', '127.0.0.1'));
    expect(old).toEqual(error('tls', 'the certificate has expired', '127.0.0.1'));
  });

  it('is tls when it speaks plain HTTP', async () => {
    expect(await send(`https://127.0.0.1:${endpoint.port}/`)).toEqual(
      error('tls', 'no TLS connection could be made', '127.0.0.1'),
    );
  });
});

describe('connections', () => {
  it('are used again, also those of a name, and the address stays known', async () => {
    names['hooks.example.com'] = ['127.0.0.1'];
    const url = `http://hooks.example.com:${endpoint.port}/`;

    await send(url);
    names['hooks.example.com'] = ['127.0.0.9'];

    expect(await send(url)).toMatchObject({ kind: 'response', ip: '127.0.0.1' });
    expect(endpoint.connections).toHaveLength(1);
  });

  it('are as many as there are requests at once, so that none waits for a slow one', async () => {
    answers['/never'] = () => {};
    const stuck = Array.from({ length: 40 }, () => send(`${base}/never`, { timeoutMs: 4_000 }));

    expect((await send(base, { timeoutMs: 3_900 })).kind).toBe('response');

    const outcomes = await Promise.all(stuck);
    expect(outcomes.every((outcome) => outcome.kind === 'error' && outcome.errorClass === 'timeout')).toBe(true);
  });

  it('that rest are at most 16 for one origin and 256 together', async () => {
    const burst = (host: string) =>
      Promise.all(Array.from({ length: 20 }, () => send(`http://${host}:${endpoint.port}/`)));
    const alive = () => endpoint.connections.filter((socket) => !socket.destroyed).length;

    await burst('127.0.0.1');
    await until('all but 16 are closed', async () => alive() === 16);
    for (let one = 0; one < 18; one += 1) {
      names[`host-${one}.example.com`] = ['127.0.0.1'];
      await burst(`host-${one}.example.com`);
    }

    await until('all but 256 are closed', async () => alive() === 256);
    const before = endpoint.connections.length;
    await send(`http://host-17.example.com:${endpoint.port}/`);
    expect(endpoint.connections).toHaveLength(before);
  });

  it('that the server has closed meanwhile are not used', async () => {
    answers['/bye'] = (_request, response) => response.setHeader('connection', 'close').end('bye');
    await send(`${base}/bye`);
    await send(base);
    for (const socket of endpoint.connections) socket.destroy();
    const [, second] = endpoint.connections;
    await until('the client has noticed', async () => second?.destroyed === true);
    await new Promise((resolve) => setImmediate(resolve));

    expect(await send(base)).toMatchObject({ kind: 'response', body: 'ok' });
    expect(endpoint.connections).toHaveLength(3);
  });

  it('end with the client, and requests on them as errors', async () => {
    answers['/never'] = () => {};
    const under = send(`${base}/never`);
    await until('the request has arrived', async () => endpoint.received.length === 1);

    client.close();

    const message = 'the request was given up: this service is stopping';
    expect(await under).toMatchObject({ errorClass: 'http', message });
    expect(await send(base)).toMatchObject({ errorClass: 'http', message });
  });
});
