import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import express from 'express';
import type { ApplicationError } from '../../src/foundation/errors/application-error.ts';
import { readBytes, readJsonBody } from '../../src/foundation/http/json-body.ts';
import type { HttpRequest } from '../../src/foundation/http/route.ts';

const ARRIVAL_MS = 300;
const MAX_BYTES = 1_000_000;

/** Sends the beginning of a long body, then a byte at a time, until the answer is there. */
function dribble(port: number): Promise<{ answer: string; sentBytes: number }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    let sentBytes = 0;
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{');
    const sending = setInterval(() => {
      socket.write(' ');
      sentBytes += 1;
    }, 20);
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    // A byte that is sent as the other side closes the connection fails; the answer is there by then.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.on('close', () => {
      clearInterval(sending);
      resolve({ answer, sentBytes });
    });
  });
}

describe.each<[string, (request: HttpRequest) => Promise<unknown>]>([
  ['JSON', (request) => readJsonBody(request, MAX_BYTES, ARRIVAL_MS)],
  ['bytes', (request) => readBytes(request, MAX_BYTES, ARRIVAL_MS)],
])('a body of %s that dribbles in', (_what, read) => {
  let server: Server;

  beforeAll(async () => {
    const app = express();
    app.post('/', (request, response) => {
      read(request).then(
        () => response.status(200).end(),
        (error: ApplicationError) => response.status(error.status).json({ code: error.code }),
      );
    });
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  it('is given up after its time with 408, and its connection is closed, however steadily it comes', async () => {
    const { answer, sentBytes } = await dribble((server.address() as AddressInfo).port);

    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).toContain('{"code":"REQUEST_TIMEOUT"}');
    expect(sentBytes).toBeGreaterThan(3);
    expect(sentBytes).toBeLessThan(900);
  });
});
