import { Connection } from './connection.ts';
import type { Connector } from './guarded-connector.ts';

const MAX_IDLE = 256;
const MAX_IDLE_PER_ORIGIN = 32;

/**
 * Keeps idle connections for the next request to their origin. Connections in use are unlimited, because in a
 * queue a slow endpoint would delay others. Callers limit what they send at once.
 */
export class ConnectionPool {
  readonly #connector: Connector;
  readonly #busy = new Set<Connection>();
  /** The longest idle first. */
  readonly #idle = new Set<Connection>();
  readonly #idleByOrigin = new Map<string, Connection[]>();
  #closed = false;

  constructor(connector: Connector) {
    this.#connector = connector;
  }

  /** Takes the connection to the origin that was used last, or opens one. */
  acquire(origin: string): Connection {
    let connection = this.#idleByOrigin.get(origin)?.at(-1);
    while (connection && !connection.isReusable()) {
      this.#discard(connection);
      connection = this.#idleByOrigin.get(origin)?.at(-1);
    }
    if (connection) this.#removeIdle(connection);
    connection ??= new Connection(origin, this.#connector);
    if (this.#closed) connection.destroy();
    this.#busy.add(connection);
    return connection;
  }

  /** Takes a connection back when its request has ended. */
  release(connection: Connection): void {
    this.#busy.delete(connection);
    const idle = this.#idleByOrigin.get(connection.origin) ?? [];
    if (this.#closed || !connection.isReusable() || idle.length >= MAX_IDLE_PER_ORIGIN) {
      connection.destroy();
      return;
    }
    idle.push(connection);
    this.#idleByOrigin.set(connection.origin, idle);
    this.#idle.add(connection);
    const [oldest] = this.#idle;
    if (oldest && this.#idle.size > MAX_IDLE) this.#discard(oldest);
  }

  /** Closes all connections, including those with a request in progress. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#busy, ...this.#idle]) connection.destroy();
    this.#idle.clear();
    this.#idleByOrigin.clear();
  }

  #discard(connection: Connection): void {
    this.#removeIdle(connection);
    connection.destroy();
  }

  #removeIdle(connection: Connection): void {
    this.#idle.delete(connection);
    const others = (this.#idleByOrigin.get(connection.origin) ?? []).filter((other) => other !== connection);
    if (others.length > 0) this.#idleByOrigin.set(connection.origin, others);
    else this.#idleByOrigin.delete(connection.origin);
  }
}
