import { gzipSync } from 'node:zlib';
import { OutboundHttp } from '../../src/foundation/outbound/outbound-http.ts';
import { httpEndpoint } from '../support/endpoint.ts';
import { until } from '../support/faults.ts';
import { callError, LOOPBACK, outboundCalls, type Answer } from '../support/outbound-calls.ts';
import { freePort } from '../support/program.ts';

const calls = outboundCalls();
const { names, answers, send, rawEndpoint } = calls;

describe('a request', () => {
  it('arrives as it was given, and its response comes back with the address it went to', async () => {
    answers['/hook?a=1'] = (_request, response) => {
      response.setHeader('X-Reply', ['a', 'b']).writeHead(201).end('grüße');
    };

    const outcome = await send(`${calls.base}/hook?a=1#part`, { headers: { 'X-Webhook-Event': 'é' }, body: 'Ünïcode' });

    expect(outcome).toEqual({
      kind: 'response',
      statusCode: 201,
      headers: expect.objectContaining({ 'x-reply': 'a, b' }),
      body: 'grüße',
      truncated: false,
      ip: '127.0.0.1',
      durationMs: expect.any(Number),
    });
    expect(calls.endpoint.received).toEqual([
      {
        method: 'POST',
        path: '/hook?a=1',
        body: 'Ünïcode',
        headers: {
          host: `127.0.0.1:${calls.endpoint.port}`,
          connection: 'keep-alive',
          'accept-encoding': 'identity',
          'x-webhook-event': 'é',
          'content-length': '9',
        },
      },
    ]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const)('can be a %s', async (method) => {
    expect(await send(calls.base, { method, body: undefined })).toMatchObject({ kind: 'response', statusCode: 200 });
    expect(calls.endpoint.received).toMatchObject([{ method, body: '' }]);
  });

  it('goes to the name that it was given as Host, at the address that was judged', async () => {
    names['hooks.example.com'] = ['127.0.0.1'];

    const outcome = await send(`http://hooks.example.com:${calls.endpoint.port}/`);

    expect(outcome).toMatchObject({ kind: 'response', ip: '127.0.0.1' });
    expect(calls.endpoint.received[0]?.headers.host).toBe(`hooks.example.com:${calls.endpoint.port}`);
  });

  it('goes to the next address of a name when one does not answer', async () => {
    names['two.example.com'] = ['127.0.0.2', '::1', '127.0.0.1'];

    expect(await send(`http://two.example.com:${calls.endpoint.port}/`)).toMatchObject({
      kind: 'response',
      ip: '127.0.0.1',
    });
    expect(calls.endpoint.received).toHaveLength(1);
  });

  it('takes a redirect for the answer, and does not follow it', async () => {
    answers['/old'] = (_request, response) => response.writeHead(307, { location: '/new' }).end();

    expect(await send(`${calls.base}/old`)).toMatchObject({ statusCode: 307, headers: { location: '/new' } });
    expect(calls.endpoint.received.map(({ path }) => path)).toEqual(['/old']);
  });

  it('asks no proxy, whatever the environment says', async () => {
    const proxy = await httpEndpoint((_request, response) => response.end('proxy'));
    calls.open.push(proxy);
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    process.env.NODE_USE_ENV_PROXY = '1';
    calls.client = new OutboundHttp(LOOPBACK);

    expect(await send(calls.base)).toMatchObject({ body: 'ok' });

    for (const name of [...names, 'NODE_USE_ENV_PROXY']) delete process.env[name];
    expect(proxy.connections).toEqual([]);
  });

  it('is sent once: an endpoint that hangs up on it may have acted on it', async () => {
    answers['/hang-up'] = (request) => request.socket.destroy();

    expect(await send(`${calls.base}/hang-up`)).toEqual(
      callError('http', 'the connection was closed before the response was complete', '127.0.0.1'),
    );
    expect(calls.endpoint.received).toHaveLength(1);
  });
});

describe('headers of the caller', () => {
  const own = ['Host', 'hOsT', 'CONTENT-LENGTH', 'Transfer-Encoding', 'connection', 'Keep-Alive', 'Upgrade', 'TE'];

  it.each([...own, 'Trailer', 'Expect', 'Proxy-Authorization', 'proxy-connection', 'Accept-Encoding'])(
    'must not contain %s',
    async (name) => {
      expect(await send(calls.base, { headers: { [name]: 'x' } })).toEqual(
        callError('blocked', `the header ${name} must not be set`, null),
      );
      expect(calls.endpoint.connections).toEqual([]);
    },
  );

  it('must not bring further headers or requests along', async () => {
    const values = ['a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\0b', 'a\u010a', 'a\u{1F600}', '\x7f'];
    for (const value of values) {
      const message = 'the header X-Custom has a character that is not allowed';
      expect(await send(calls.base, { headers: { 'X-Custom': value } })).toEqual(callError('blocked', message, null));
    }
    for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'é', ':path']) {
      expect(await send(calls.base, { headers: { [name]: 'x' } })).toMatchObject({ errorClass: 'blocked', ip: null });
    }
    expect(calls.endpoint.connections).toEqual([]);
  });
});

describe('the body of a response', () => {
  const many =
    (size: number): Answer =>
    (_request, response) =>
      void response.end('x'.repeat(size));

  it('is whole up to 16 KiB', async () => {
    answers['/full'] = many(16_384);

    expect(await send(`${calls.base}/full`)).toMatchObject({ truncated: false, body: 'x'.repeat(16_384) });
  });

  it('is cut there, and the connection with it', async () => {
    answers['/over'] = many(16_385);

    expect(await send(`${calls.base}/over`)).toMatchObject({
      statusCode: 200,
      truncated: true,
      body: 'x'.repeat(16_384),
    });
    await until('the connection is closed', async () => calls.endpoint.connections[0]?.destroyed === true);
  });

  it('is cut where the caller says, between characters', async () => {
    answers['/euro'] = (_request, response) => response.end('€€');

    expect(await send(`${calls.base}/euro`, { maxResponseBytes: 4 })).toMatchObject({ truncated: true, body: '€' });
    expect(await send(`${calls.base}/euro`, { maxResponseBytes: 0 })).toMatchObject({ truncated: true, body: '' });
    expect(await send(`${calls.base}/euro`, { maxResponseBytes: 6 })).toMatchObject({ truncated: false, body: '€€' });
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

    const outcome = await send(`${calls.base}/endless`);

    expect(outcome).toMatchObject({ kind: 'response', statusCode: 200, truncated: true });
    await until('the connection is closed', async () => calls.endpoint.connections[0]?.destroyed === true);
    expect(sent).toBeLessThan(20_000_000);
  });

  it('is not unpacked: a small one cannot become a large one', async () => {
    const packed = gzipSync(Buffer.alloc(10_000_000));
    answers['/bomb'] = (_request, response) => response.setHeader('content-encoding', 'gzip').end(packed);

    const outcome = await send(`${calls.base}/bomb`, { maxResponseBytes: 100_000 });

    expect(outcome).toMatchObject({ kind: 'response', headers: { 'content-encoding': 'gzip' }, truncated: false });
    expect((outcome as { body: string }).body.length).toBeLessThanOrEqual(packed.length);
  });
});

describe('the deadline', () => {
  const late = (ms: number, ip: string | null) =>
    callError('timeout', `there was no complete response within ${ms} ms`, ip);

  it('is for an answer that does not begin', async () => {
    answers['/silent'] = () => {};

    const outcome = await send(`${calls.base}/silent`, { timeoutMs: 1_000 });

    expect(outcome).toEqual(late(1_000, '127.0.0.1'));
    expect(outcome.durationMs).toBeGreaterThanOrEqual(999);
    await until('the connection is closed', async () => calls.endpoint.connections[0]?.destroyed === true);
  });

  it('is for a body that drips, however steadily', async () => {
    answers['/drip'] = (request, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      request.socket.on('close', () => clearInterval(timer));
    };

    expect(await send(`${calls.base}/drip`, { timeoutMs: 1_000 })).toEqual(late(1_000, '127.0.0.1'));
    await until('the connection is closed', async () => calls.endpoint.connections[0]?.destroyed === true);
  });

  it('does not undo an answer of which enough has dripped in', async () => {
    answers['/drip'] = (request, response) => {
      const timer = setInterval(() => response.write('x'), 5);
      request.socket.on('close', () => clearInterval(timer));
    };
    answers['/stall'] = (_request, response) => void response.write('xxx');

    expect(await send(`${calls.base}/drip`, { timeoutMs: 5_000, maxResponseBytes: 3 })).toMatchObject({
      kind: 'response',
      statusCode: 200,
      body: 'xxx',
      truncated: true,
    });
    expect(await send(`${calls.base}/stall`, { timeoutMs: 1_500, maxResponseBytes: 3 })).toMatchObject({
      kind: 'response',
      statusCode: 200,
      body: 'xxx',
      truncated: true,
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
      expect(await send(`http://${host}/`)).toEqual(callError('dns', 'the host cannot be resolved', null));
    }
  });

  it('is refused when nobody listens', async () => {
    const port = await freePort();
    names['both.example.com'] = ['127.0.0.1', '::1'];

    for (const host of ['127.0.0.1', 'both.example.com']) {
      expect(await send(`http://${host}:${port}/`)).toEqual(
        callError('refused', 'the connection was refused', '127.0.0.1'),
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
        callError('http', expect.stringContaining(message) as unknown as string, '127.0.0.1'),
      ]);
    }
  });
});
