import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Connector } from './guarded-connector.ts';
import type { ConnectionStage } from './outcome.ts';

const MAX_RESPONSE_HEADERS_BYTES = 16_384;
/** How long a connection may rest: shorter than most servers keep theirs, so that they do not hang up in mid-request. */
const IDLE_TIMEOUT_MS = 4_000;
/** How long it may rest at most where the server names a time. */
const MAX_IDLE_TIMEOUT_MS = 30_000;
/** After this long the name is resolved anew, also for an endpoint that is always busy. */
const MAX_AGE_MS = 60_000;

/** One connection to one origin, with at most one request on it: so we know where each went, and can hang up on it. */
export class Connection {
  readonly origin: string;
  readonly #client: Client;
  readonly #openedAt = performance.now();
  #socket: Socket | null = null;
  /** The address at the other end, once there is one. */
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
          // The two signatures of the callback are one call.
          (callback as (error: Error | null, socket: Socket | null) => void)(error, socket);
        });
        this.#socket?.once('connect', () => {
          if (this.stage === 'new') this.stage = 'connected'; // without TLS it is open already
          this.ip = this.#socket?.remoteAddress ?? null;
        });
      },
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: MAX_RESPONSE_HEADERS_BYTES,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      keepAliveMaxTimeout: MAX_IDLE_TIMEOUT_MS,
      headersTimeout: 0, // the caller's deadline is for everything together
      bodyTimeout: 0,
    });
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Whether another request may go over it. */
  isReusable(): boolean {
    const open = this.#socket !== null && !this.#socket.destroyed;
    return open && performance.now() - this.#openedAt < MAX_AGE_MS;
  }

  /** Hangs up, at whatever stage. */
  destroy(): void {
    void this.#client.destroy();
    // The client lets go of a socket that is still connecting, and would leave it to the patience of the kernel.
    this.#socket?.destroy();
  }
}
