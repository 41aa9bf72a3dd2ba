import { Connection } from './connection.ts';
import type { Connector } from './guarded-connector.ts';

const MAX_IDLE = 256;
const MAX_IDLE_PER_ORIGIN = 16;

/**
 * Keeps connections that rest for the next request to their origin. There is no limit to those in use, and so no queue: a
 * slow endpoint must not hold up others at the same host. Callers bound how much they send at once.
 */
export class ConnectionPool {
  readonly #connector: Connector;
  readonly #busy = new Set<Connection>();
  /** The longest at rest first. */
  readonly #idle = new Set<Connection>();
  readonly #idleByOrigin = new Map<string, Connection[]>();
  #closed = false;

  constructor(connector: Connector) {
    this.#connector = connector;
  }

  /** The connection to the origin that came to rest last, or a new one. */
  take(origin: string): Connection {
    let connection = this.#idleByOrigin.get(origin)?.at(-1);
    while (connection && !connection.isReusable()) {
      this.#drop(connection);
      connection = this.#idleByOrigin.get(origin)?.at(-1);
    }
    if (connection) this.#forget(connection);
    connection ??= new Connection(origin, this.#connector);
    if (this.#closed) connection.destroy();
    this.#busy.add(connection);
    return connection;
  }

  /** Back from `take`, when its request is over and it has not been destroyed. */
  give(connection: Connection): void {
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
    if (oldest && this.#idle.size > MAX_IDLE) this.#drop(oldest);
  }

  /** Hangs up on everything, also on requests under way. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#busy, ...this.#idle]) connection.destroy();
    this.#idle.clear();
    this.#idleByOrigin.clear();
  }

  #drop(connection: Connection): void {
    this.#forget(connection);
    connection.destroy();
  }

  #forget(connection: Connection): void {
    this.#idle.delete(connection);
    const others = (this.#idleByOrigin.get(connection.origin) ?? []).filter((other) => other !== connection);
    if (others.length > 0) this.#idleByOrigin.set(connection.origin, others);
    else this.#idleByOrigin.delete(connection.origin);
  }
}
