import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import type { StreamConfig } from '../config/config.ts';
import { newPid } from '../database/pid.ts';
import { ApplicationError, unavailable, validationError } from '../errors/application-error.ts';
import type { Logger } from '../logging/logger.ts';
import type { SharedStore } from '../redis/redis.ts';
import type { StreamTail } from '../redis/stream-tail.ts';
import { SseResponse } from './sse-response.ts';
import type { StreamKey } from './stream-key.ts';
import { problemOfEventId } from './stream-contract.ts';
import { BEGINNING, parsePosition, type StreamPosition } from './stream-position.ts';
import { StreamSlots } from './stream-slots.ts';
import { Subscription } from './subscription.ts';

/** What a route says about the stream it answers with. It has admitted the actor and checked everything once. */
export interface Serving {
  readonly key: StreamKey;
  readonly actor: Actor;
  /** Of the query: the event that the client has read last. `Last-Event-ID` wins over it. */
  readonly lastEventId?: string | undefined;
  /** Where a client begins that names no position; the beginning, unless told otherwise. */
  readonly from?: StreamPosition | null;
  /** The events after which this answer is over, though the stream is not. */
  readonly until?: ReadonlySet<string>;
  /** Throws what the actor is refused with; asked again while the stream is open, with the actor's present rights. */
  recheck(actor: Actor): void | Promise<void>;
  /** Runs beside the stream for as long as it is open: for streams that are fed where they are watched. */
  feed?(signal: AbortSignal): Promise<void>;
}

interface OpenStream extends Serving {
  readonly request: IncomingMessage;
  readonly sse: SseResponse;
  readonly slot: string;
  readonly close: () => void;
}

/** So many checks a lease of a user's place outlives. */
const LEASE_CHECKS = 3;

/** This node's open streams: each a response that relays one stream of the shared store. Spec: "Other events and streams". */
export class Streams {
  readonly #gate: Gate;
  readonly #store: SharedStore;
  readonly #tail: StreamTail;
  readonly #slots: StreamSlots;
  readonly #logger: Logger;
  readonly #open = new Set<OpenStream>();
  readonly #timers: NodeJS.Timeout[];
  #stopping = false;

  constructor(gate: Gate, store: SharedStore, tail: StreamTail, settings: StreamConfig, logger: Logger) {
    const { maxPerUser, recheckMs, pingMs } = settings;
    this.#gate = gate;
    this.#store = store;
    this.#tail = tail;
    this.#slots = new StreamSlots(store, maxPerUser, LEASE_CHECKS * recheckMs);
    this.#logger = logger;
    // One turn for all of them: what they ask of Redis leaves in one write.
    this.#timers = [
      setInterval(() => this.#open.forEach((stream) => void this.#recheck(stream)), recheckMs).unref(),
      setInterval(() => this.#open.forEach(({ sse }) => sse.ping()), pingMs).unref(),
    ];
  }

  /**
   * Answers with the stream from the client's position on (`Last-Event-ID` or `?lastEventId=`), until it ends, the
   * client leaves, its rights do, or the node stops.
   * @throws VALIDATION_ERROR, RATE_LIMITED, SERVICE_UNAVAILABLE, all before the first byte
   */
  async serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
    const { key, actor, from, until } = serving;
    const position = positionOf(request, serving) ?? from ?? BEGINNING;
    if (this.#stopping) throw unavailable('node', 'it is stopping');
    if (request.method === 'HEAD') return new SseResponse(response).end();
    const slot = newPid();
    await this.#slots.take(actor.userPid, slot);
    const done = new AbortController();
    // A client may have left while its place was taken.
    if (response.destroyed) return this.#release(actor, slot);
    const sse = new SseResponse(response);
    const subscription = new Subscription(this.#store, this.#tail, key, position, sse, until);
    const stream = { ...serving, request, sse, slot, close: () => subscription.close() };
    response.once('close', stream.close);
    this.#open.add(stream);
    try {
      // The node began to stop while the place was taken.
      if (this.#stopping) return sse.goElsewhere();
      serving
        .feed?.(done.signal)
        .catch((error: unknown) => this.#logger.warn({ err: error, key }, 'a stream is not fed'));
      await subscription.run();
    } finally {
      done.abort();
      this.#open.delete(stream);
      sse.end();
      this.#release(actor, slot);
    }
  }

  /** Lets all clients go, to other nodes; those that come still are refused. */
  stop(): void {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { sse, close } of this.#open) {
      sse.goElsewhere();
      close();
    }
  }

  async #recheck(stream: OpenStream): Promise<void> {
    const { request, actor, slot, sse, close } = stream;
    try {
      const [now] = await Promise.all([this.#gate.readmit(request), this.#slots.renew(actor.userPid, slot)]);
      await stream.recheck(now);
    } catch (error) {
      // Whether Redis or the database is away says nothing about the caller's rights.
      if (error instanceof ApplicationError && error.status < 500) {
        if (this.#open.has(stream)) sse.revoked(error.code, error.message);
        close();
      } else this.#logger.debug({ err: error }, 'a stream could not be checked');
    }
    // It may have been closed while its place was renewed.
    if (!this.#open.has(stream)) this.#release(actor, slot);
  }

  #release({ userPid }: Actor, slot: string): void {
    // Where this fails, the lease runs out.
    this.#slots.release(userPid, slot).catch(() => undefined);
  }
}

/** Null: the client names none. @throws VALIDATION_ERROR */
function positionOf({ headers }: IncomingMessage, { lastEventId = '' }: Serving): StreamPosition | null {
  const given = String(headers['last-event-id'] ?? lastEventId);
  if (given === '') return null;
  const problem = problemOfEventId(given);
  if (problem !== null) throw validationError({ 'Last-Event-ID': problem });
  return parsePosition(given);
}
