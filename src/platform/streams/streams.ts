import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../auth/requests/actor.ts';
import type { Authenticator } from '../auth/requests/authenticator.ts';
import type { StreamConfig } from '../../foundation/config/config.ts';
import { newPid } from '../../foundation/database/pid.ts';
import { ApplicationError, unavailable } from '../../foundation/errors/application-error.ts';
import type { Logger } from '../../foundation/logging/logger.ts';
import { text } from '../../foundation/i18n/text.ts';
import { Leases } from '../../foundation/redis/leases.ts';
import type { RedisStore } from '../../foundation/redis/redis-store.ts';
import type { StreamTail } from '../../foundation/redis/stream-tail.ts';
import { SseResponse } from './sse-response.ts';
import { type StreamKey, BEGINNING, type StreamPosition } from './stream-entry.ts';
import { StreamReader } from './stream-reader.ts';
import { LEASE_CHECKS } from './streams.limits.ts';

/** Stream that an endpoint serves, after it has authorized the caller. */
export interface ServedStream {
  readonly key: StreamKey;
  /** Start for a client without a position; default: the beginning. */
  readonly from?: StreamPosition | null;
  /** Events that end the response, though the stream goes on. */
  readonly until?: ReadonlySet<string>;
  /**
   * Repeats the authorization while the stream is open, with the actor's present rights.
   * @throws to end it
   */
  recheck(actor: Actor): void | Promise<void>;
  /** Writes the stream while it is open, if the serving node produces it. */
  feed?(signal: AbortSignal): Promise<void>;
}

interface OpenStream extends ServedStream {
  readonly actor: Actor;
  readonly request: IncomingMessage;
  readonly sse: SseResponse;
  readonly lease: string;
  readonly close: () => void;
}

/** Serves streams: each open response relays one Redis stream. Spec: "Other events and streams". */
export class Streams {
  readonly #authenticator: Authenticator;
  readonly #store: RedisStore;
  readonly #tail: StreamTail;
  readonly #leases: Leases;
  readonly #logger: Logger;
  readonly #open = new Set<OpenStream>();
  readonly #timers: NodeJS.Timeout[];
  #stopping = false;

  constructor(
    authenticator: Authenticator,
    store: RedisStore,
    tail: StreamTail,
    settings: StreamConfig,
    logger: Logger,
  ) {
    const { maxPerUser, recheckMs, pingMs } = settings;
    this.#authenticator = authenticator;
    this.#store = store;
    this.#tail = tail;
    const refusal = text('A user may have {max} streams open', { max: maxPerUser });
    this.#leases = new Leases(store, { kind: 'streams', maxPerUser, leaseMs: LEASE_CHECKS * recheckMs, refusal });
    this.#logger = logger;
    // One timer for all streams, so that their Redis commands share a write.
    this.#timers = [
      setInterval(() => this.#open.forEach((stream) => void this.#recheck(stream)), recheckMs).unref(),
      setInterval(() => this.#open.forEach(({ sse }) => sse.ping()), pingMs).unref(),
    ];
  }

  /**
   * Sends the stream from the client's position on (`Last-Event-ID` or `lastEventId`), until it ends, the
   * client disconnects or loses its rights, or the node stops.
   * @throws RATE_LIMITED, SERVICE_UNAVAILABLE, all before the first byte
   */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    actor: Actor,
    position: StreamPosition | null,
    served: ServedStream,
  ): Promise<void> {
    const { key, from, until } = served;
    if (this.#stopping) throw unavailable('node', 'it is stopping');
    if (request.method === 'HEAD') return new SseResponse(response).end();
    const lease = newPid();
    await this.#leases.acquire(actor.userPid, lease);
    const done = new AbortController();
    // The client may have disconnected meanwhile.
    if (response.destroyed) return this.#release(actor, lease);
    const sse = new SseResponse(response);
    const reader = new StreamReader(this.#store, this.#tail, key, position ?? from ?? BEGINNING, sse, until);
    const stream = { ...served, actor, request, sse, lease, close: () => reader.close() };
    response.once('close', stream.close);
    this.#open.add(stream);
    try {
      // The node may have begun to stop meanwhile.
      if (this.#stopping) return sse.reconnectElsewhere();
      served
        .feed?.(done.signal)
        .catch((error: unknown) => this.#logger.warn({ err: error, key }, 'a stream is not fed'));
      await reader.run();
    } finally {
      done.abort();
      this.#open.delete(stream);
      sse.end();
      this.#release(actor, lease);
    }
  }

  /** Sends all clients to other nodes, and refuses new ones. */
  stop(): void {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { sse, close } of this.#open) {
      sse.reconnectElsewhere();
      close();
    }
  }

  async #recheck(stream: OpenStream): Promise<void> {
    const { request, actor, lease, sse, close } = stream;
    try {
      const [now] = await Promise.all([
        this.#authenticator.reauthenticate(request),
        this.#leases.renew(actor.userPid, lease),
      ]);
      await stream.recheck(now);
    } catch (error) {
      // An outage of Redis or the database does not affect the caller's rights.
      if (error instanceof ApplicationError && error.status < 500) {
        if (this.#open.has(stream)) sse.revoked(error.code, error.message);
        close();
      } else this.#logger.debug({ err: error }, 'a stream could not be checked');
    }
    // It may have been closed while its lease was renewed.
    if (!this.#open.has(stream)) this.#release(actor, lease);
  }

  #release({ userPid }: Actor, lease: string): void {
    // On a failure, the lease expires.
    this.#leases.release(userPid, lease).catch(() => undefined);
  }
}
