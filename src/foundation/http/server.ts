import { createServer, STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { ApplicationError, validationError } from '../errors/application-error.ts';
import { newTraceId } from '../logging/trace.ts';
import { CLIENT_TIMEOUTS, IDLE_CHECK_MS } from '../foundation.limits.ts';

/** Room for a filter with a thousand values in the URL: Node's own limit is 16 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;

/** A listening HTTP server that can stop without cutting an answer off. */
export interface HttpServer {
  readonly port: number;
  /** Takes no new connection, lets running requests finish for `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>;
}

/** @throws the listen error (EADDRINUSE and the like) */
export async function listen(app: Express, port: number, timeouts = CLIENT_TIMEOUTS): Promise<HttpServer> {
  const { headersMs, requestMs, keepAliveMs } = timeouts;
  const server: Server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      // Node looks for slow clients this often.
      connectionsCheckingInterval: Math.min(1_000, headersMs),
      maxHeaderSize: MAX_HEADER_BYTES,
      // The application answers those, with an envelope.
      requireHostHeader: false,
    },
    app,
  );
  // Node itself would answer 417, without an envelope.
  server.on('checkExpectation', app);
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

/** What is not an HTTP request never reaches Express; it gets its envelope here. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, code, message, data } = problemOf(error.code);
  const body = JSON.stringify({ code, message, data });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Trace-Id: ${newTraceId()}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function problemOf(code: string | undefined): ApplicationError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApplicationError('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApplicationError('REQUEST_TIMEOUT');
  if (code === 'HPE_INVALID_URL') return validationError({ url: 'must be percent-encoded: ASCII without spaces' });
  return validationError({ request: 'is malformed' });
}
