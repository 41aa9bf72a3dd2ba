import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server as NetServer, Socket } from 'node:net';
import type { TestCertificate } from './certificate.ts';

/** A request as it arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server of the test's own on loopback, which counts. */
export interface Endpoint {
  readonly port: number;
  readonly received: Received[];
  /** All connections it ever had. */
  readonly connections: Socket[];
  close(): Promise<void>;
}

/**
 * An HTTP server on loopback; with a certificate, an HTTPS server. It answers when the body of the request is
 * there.
 */
export async function httpEndpoint(
  answer: RequestListener,
  { certificate, host = '127.0.0.1', port = 0 }: { certificate?: TestCertificate; host?: string; port?: number } = {},
): Promise<Endpoint> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  return { ...(await listen(server, host, port)), received };
}

/** Makes any server listen on loopback and keeps track of its connections. */
export async function listen(
  server: Server | NetServer,
  host = '127.0.0.1',
  port = 0,
): Promise<Omit<Endpoint, 'received'>> {
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    connections.push(socket);
    socket.on('error', () => {}); // the client hangs up whenever it likes
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  };
}
