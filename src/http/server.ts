import { createServer, type Server } from 'node:http';
import type { Express } from 'express';

/** A listening HTTP server that can stop without cutting an answer off. */
export interface HttpServer {
  readonly port: number;
  /** Takes no new connection, lets running requests finish for `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>;
}

/** @throws the listen error (EADDRINUSE and the like) */
export async function listen(app: Express, port: number): Promise<HttpServer> {
  const server: Server = createServer(
    { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 },
    app,
  );
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
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(deadline);
}
