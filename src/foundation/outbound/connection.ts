import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Connector } from './guarded-connector.ts';
import type { ConnectionStage } from './outcome.ts';
import { IDLE_TIMEOUT_MS, MAX_CONNECTION_AGE_MS, MAX_IDLE_TIMEOUT_MS } from '../foundation.limits.ts';

const MAX_RESPONSE_HEADERS_BYTES = 16_384;

/**
 * Connection to one origin with at most one request, so that its address is known and closing it affects no
 * other.
 */
export class Connection {
  readonly origin: string;
  readonly #client: Client;
  readonly #openedAt = performance.now();
  #socket: Socket | null = null;
  /** Remote address, once connected. */
  ip: string | null = null;
  stage: ConnectionStage = 'new';

  constructor(origin: string, connector: Connector) {
    this.origin = origin;
    this.#client = new Client(origin, {
      connect: (options, callback) => {
        this.stage = 'new';
        this.ip = null;
        this.#socket = connector(options, (error, socket) => {
          if (!error) this.stage = 'open';
          // The overloads of the callback take the same call.
          (callback as (error: Error | null, socket: Socket | null) => void)(error, socket);
        });
        this.#socket?.once('connect', () => {
          if (this.stage === 'new') this.stage = 'connected'; // without TLS it is open by now
          this.ip = this.#socket?.remoteAddress ?? null;
        });
      },
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: MAX_RESPONSE_HEADERS_BYTES,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      keepAliveMaxTimeout: MAX_IDLE_TIMEOUT_MS,
      headersTimeout: 0, // the caller's deadline covers everything
      bodyTimeout: 0,
    });
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Whether it may carry another request. */
  isReusable(): boolean {
    const open = this.#socket !== null && !this.#socket.destroyed;
    return open && performance.now() - this.#openedAt < MAX_CONNECTION_AGE_MS;
  }

  /** Closes the connection at any stage. */
  destroy(): void {
    void this.#client.destroy();
    // The client abandons a connecting socket, which would wait for the kernel's timeout.
    this.#socket?.destroy();
  }
}
