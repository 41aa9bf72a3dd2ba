import type { ServerResponse } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { certificateFor } from '../support/certificate.ts';
import { httpEndpoint } from '../support/endpoint.ts';
import { until } from '../support/faults.ts';
import { callError, outboundCalls } from '../support/outbound-calls.ts';

const calls = outboundCalls();
const { names, answers, send } = calls;

describe('an https endpoint', () => {
  const trusted = getCACertificates('default');
  const good = certificateFor('secure.example.com');
  const expired = certificateFor('expired.example.com', true);
  beforeAll(() => setDefaultCACertificates([...trusted, good.cert, expired.cert]));
  afterAll(() => setDefaultCACertificates(trusted));

  const secure = async (certificate = good): Promise<number> => {
    const server = await httpEndpoint((_request, response) => response.end('secret'), { certificate });
    calls.open.push(server);
    for (const host of ['secure', 'expired', 'other']) names[`${host}.example.com`] = ['127.0.0.1'];
    return server.port;
  };

  it('is called by its name, and its certificate is checked against that', async () => {
    const port = await secure();

    expect(await send(`https://secure.example.com:${port}/`)).toMatchObject({ body: 'secret', ip: '127.0.0.1' });
    expect(await send(`https://secure.example.com.:${port}/`)).toMatchObject({ errorClass: 'dns' });
    for (const host of ['other.example.com', '127.0.0.1']) {
      expect(await send(`https://${host}:${port}/`)).toEqual(
        callError('tls', 'the certificate is for another host', '127.0.0.1'),
      );
    }
  });

  it('is tls when its certificate has expired or nobody vouches for it, whatever the environment says', async () => {
    const stranger = await secure(certificateFor('secure.example.com'));
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

    const strange = await send(`https://secure.example.com:${stranger}/`);
    const old = await send(`https://expired.example.com:${await secure(expired)}/`);

    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    expect(strange).toEqual(callError('tls', 'the certificate is not from a trusted authority', '127.0.0.1'));
    expect(old).toEqual(callError('tls', 'the certificate has expired', '127.0.0.1'));
  });

  it('is tls when it speaks plain HTTP', async () => {
    expect(await send(`https://127.0.0.1:${calls.endpoint.port}/`)).toEqual(
      callError('tls', 'no TLS connection could be made', '127.0.0.1'),
    );
  });
});

describe('connections', () => {
  it('are used again, also those of a name, and the address stays known', async () => {
    names['hooks.example.com'] = ['127.0.0.1'];
    const url = `http://hooks.example.com:${calls.endpoint.port}/`;

    await send(url);
    names['hooks.example.com'] = ['127.0.0.9'];

    expect(await send(url)).toMatchObject({ kind: 'response', ip: '127.0.0.1' });
    expect(calls.endpoint.connections).toHaveLength(1);
  });

  it('are as many as there are requests at once, so that none waits for a slow one', async () => {
    const stuck: ServerResponse[] = [];
    answers['/slow'] = (_request, response) => void stuck.push(response);
    const slow = Array.from({ length: 40 }, () => send(`${calls.base}/slow`));

    expect((await send(calls.base)).kind).toBe('response');

    await until('all have come', () => stuck.length === 40);
    for (const response of stuck) response.end('ok');
    expect((await Promise.all(slow)).every(({ kind }) => kind === 'response')).toBe(true);
  });

  it('that rest are at most 32 for one origin and 256 together', async () => {
    const alive = () => calls.endpoint.connections.filter((socket) => !socket.destroyed).length;
    // Answered when all have come, so that none uses the connection of another.
    const waiting: ServerResponse[] = [];
    answers['/together'] = (_request, response) => {
      if (waiting.push(response) === 40) for (const one of waiting.splice(0)) one.end('ok');
    };
    const burst = (host: string) =>
      Promise.all(Array.from({ length: 40 }, () => send(`http://${host}:${calls.endpoint.port}/together`)));

    await burst('127.0.0.1');
    await until('all but 32 are closed', async () => alive() === 32);
    for (let one = 0; one < 9; one += 1) {
      names[`host-${one}.example.com`] = ['127.0.0.1'];
      await burst(`host-${one}.example.com`);
    }

    await until('all but 256 are closed', async () => alive() === 256);
    const before = calls.endpoint.connections.length;
    await send(`http://host-8.example.com:${calls.endpoint.port}/`);
    expect(calls.endpoint.connections).toHaveLength(before);
  });

  it('that the server has closed meanwhile are not used', async () => {
    answers['/bye'] = (_request, response) => response.setHeader('connection', 'close').end('bye');
    await send(`${calls.base}/bye`);
    await send(calls.base);
    for (const socket of calls.endpoint.connections) socket.destroy();
    const [, second] = calls.endpoint.connections;
    await until('the client has noticed', async () => second?.destroyed === true);
    await new Promise((resolve) => setImmediate(resolve));

    expect(await send(calls.base)).toMatchObject({ kind: 'response', body: 'ok' });
    expect(calls.endpoint.connections).toHaveLength(3);
  });

  it('end with the client, and requests on them as errors', async () => {
    answers['/never'] = () => {};
    const under = send(`${calls.base}/never`);
    await until('the request has arrived', async () => calls.endpoint.received.length === 1);

    calls.client.close();

    const message = 'the request was given up: this service is stopping';
    expect(await under).toMatchObject({ errorClass: 'http', message });
    expect(await send(calls.base)).toMatchObject({ errorClass: 'http', message });
  });
});
