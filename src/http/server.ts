import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { validationError } from '../errors/application-error.ts';
import { newTraceId } from '../logging/trace.ts';

/** Room for a filter with a thousand values in the URL: Node's own limit is 16 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;

/** A listening HTTP server that can stop without cutting an answer off. */
export interface HttpServer {
  readonly port: number;
  /** Takes no new connection, lets running requests finish for `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>;
}

/** @throws the listen error (EADDRINUSE and the like) */
export async function listen(app: Express, port: number): Promise<HttpServer> {
  const server: Server = createServer(
    { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000, maxHeaderSize: MAX_HEADER_BYTES },
    app,
  );
  server.on('clientError', answerMalformed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop: (graceMs) => stop(server, graceMs),
  };
}

const IDLE_CHECK_MS = 100;

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that is kept alive becomes idle when its last answer is out.
  server.closeIdleConnections();
  const sweeping = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweeping);
  clearTimeout(deadline);
}

const PROBLEMS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'has too long a URL or headers',
  ERR_HTTP_REQUEST_TIMEOUT: 'did not arrive in time',
};

/** What is not an HTTP request never reaches Express; it gets its envelope here. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { code, message, data } = validationError({ request: PROBLEMS[error.code ?? ''] ?? 'is malformed' });
  const body = JSON.stringify({ code, message, data });
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      `X-Trace-Id: ${newTraceId()}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
