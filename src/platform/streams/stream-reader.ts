import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisStore } from '../../foundation/redis/redis-store.ts';
import type { RawEntry, StreamTail } from '../../foundation/redis/stream-tail.ts';
import {
  END,
  parseEntry,
  type StreamEntry,
  type StreamKey,
  BEGINNING,
  formatPosition,
  isAfter,
  parsePosition,
  type StreamPosition,
} from './stream-entry.ts';
import { READ_RETRY_MS } from './streams.limits.ts';

/** Events that were removed from a stream before its reader got them. */
export interface Gap {
  /** Id of the last event read; null: none. */
  readonly from: string | null;
  /** Id of the next event; null: the stream is empty. */
  readonly to: string | null;
  /** Number of lost events; null: unknown, because the stream has expired in between. */
  readonly lost: number | null;
}

/** Receives the events of a reader. */
export interface StreamSink {
  /** @returns false if it is full: the next event waits for `drained` */
  event(entry: StreamEntry): boolean;
  gap(gap: Gap): void;
  /** Resolves when the sink accepts more, or is closed. */
  drained(): Promise<void>;
}

/** Entries of a page: doubled after each page that the sink has accepted whole. */
const PAGE_SIZE = { first: 10, most: 100 };

/**
 * Reads one stream for one client. It reads pages from its own position until it has caught up with the
 * node's tail, and then receives the tail's entries. When its sink is full it drops them and reads them again
 * later, so a slow client costs a position and no buffered events. Ordinals without a hole prove that nothing
 * was lost.
 */
export class StreamReader {
  readonly #store: RedisStore;
  readonly #tail: StreamTail;
  readonly #key: StreamKey;
  readonly #sink: StreamSink;
  readonly #until: ReadonlySet<string>;
  #position: StreamPosition;
  #pageSize = PAGE_SIZE.first;
  #state: 'reading' | 'live' | 'closed' = 'reading';
  #interrupt: () => void = () => undefined;
  #unfollow: () => void = () => undefined;

  /** @param until events that end the reader, beside the stream's own end */
  constructor(
    store: RedisStore,
    tail: StreamTail,
    key: StreamKey,
    from: StreamPosition,
    sink: StreamSink,
    until: ReadonlySet<string> = new Set(),
  ) {
    this.#store = store;
    this.#tail = tail;
    this.#key = key;
    this.#position = from;
    this.#sink = sink;
    this.#until = until;
  }

  /** Resolves when the stream has ended, or `close` was called. Waits while Redis is away. */
  async run(): Promise<void> {
    try {
      await this.#correctPosition();
      while (this.#isOpen()) {
        const isLast = await this.#readPage();
        if (isLast && this.#isOpen() && this.#hasCaughtUp()) await this.#followTail();
        if (this.#isOpen()) await this.#waitForSink();
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#state = 'closed';
    this.#unfollow();
    this.#interrupt();
  }

  /** Corrects a position that the stream does not have: it has expired, was truncated, or ends before it. */
  async #correctPosition(): Promise<void> {
    if (this.#position === BEGINNING) return;
    const [newest] = await this.#query('xrevrange', this.#key, '+', '-', 'COUNT', 1);
    if (!newest) {
      this.#sink.gap({ from: formatPosition(this.#position), to: null, lost: null });
      this.#position = BEGINNING;
    } else if (!isAfter(newest.position, this.#position)) {
      this.#position = newest.position;
      if (newest.event === END) this.#deliver(newest);
    }
  }

  /** @returns false if there may be more to read */
  async #readPage(): Promise<boolean> {
    const asked = this.#pageSize;
    const page = await this.#query('xrange', this.#key, `(${formatPosition(this.#position)}`, '+', 'COUNT', asked);
    for (const [index, entry] of page.entries()) {
      if (!this.#isOpen()) return true;
      if (!this.#isNext(entry)) this.#sink.gap(this.#gapBefore(entry));
      if (this.#deliver(entry)) continue;
      // About as many will fit the next time.
      this.#pageSize = index + 1;
      return !this.#isOpen();
    }
    this.#pageSize = Math.min(PAGE_SIZE.most, asked * 2);
    return page.length < asked;
  }

  /** Follows the tail, if no entry lies between this position and the tail's next one. */
  #hasCaughtUp(): boolean {
    const last = this.#tail.lastIdOf(this.#key);
    if (last !== null && isAfter(parsePosition(last) ?? BEGINNING, this.#position)) return false;
    this.#unfollow();
    this.#unfollow = this.#tail.follow(this.#key, formatPosition(this.#position), (entries) => this.#receive(entries));
    return true;
  }

  /** Receives the tail's entries until the sink is full, an entry is missing, or the reader is closed. */
  #followTail(): Promise<void> {
    this.#state = 'live';
    return new Promise((resolve) => (this.#interrupt = resolve));
  }

  /** Resolves when the sink accepts more, or the reader is closed. */
  #waitForSink(): Promise<void> {
    return new Promise((resolve) => {
      this.#interrupt = resolve;
      void this.#sink.drained().then(resolve);
    });
  }

  #receive(raw: readonly RawEntry[]): void {
    for (const each of raw) {
      if (this.#state !== 'live') return;
      const entry = parseEntry(each);
      if (!isAfter(entry.position, this.#position)) continue;
      if (this.#isNext(entry) && this.#deliver(entry)) continue;
      if (this.#isOpen()) this.#state = 'reading';
      this.#interrupt();
    }
  }

  #deliver(entry: StreamEntry): boolean {
    this.#position = entry.position;
    const hasRoom = this.#sink.event(entry);
    if (entry.event === END || this.#until.has(entry.event)) this.close();
    return hasRoom;
  }

  #isNext({ position }: StreamEntry): boolean {
    return position.ordinal === this.#position.ordinal + 1;
  }

  #gapBefore({ id, position: { ordinal } }: StreamEntry): Gap {
    const { ordinal: read } = this.#position;
    const from = read === 0 ? null : formatPosition(this.#position);
    return { from, to: id, lost: ordinal > read ? ordinal - read - 1 : null };
  }

  #isOpen(): boolean {
    return this.#state !== 'closed';
  }

  async #query(...command: [string, ...(string | number)[]]): Promise<StreamEntry[]> {
    while (this.#isOpen()) {
      try {
        const [entries] = await this.#store.pipeline([command]);
        return (entries as RawEntry[]).map(parseEntry);
      } catch {
        await sleep(READ_RETRY_MS);
      }
    }
    return [];
  }
}
