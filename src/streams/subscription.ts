import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedStore } from '../redis/redis.ts';
import type { RawEntry, StreamTail } from '../redis/stream-tail.ts';
import { END, parseEntry, type StreamEntry } from './stream-entry.ts';
import type { StreamKey } from './stream-key.ts';
import { BEGINNING, formatPosition, isAfter, parsePosition, type StreamPosition } from './stream-position.ts';

/** Events that a reader should have got and that the stream no longer has. */
export interface Gap {
  /** The id after which it wanted to go on; null: from the beginning. */
  readonly from: string | null;
  /** The id at which it goes on; null: the stream has nothing now. */
  readonly to: string | null;
  /** How many; null where nobody can tell, because the stream has expired in between. */
  readonly lost: number | null;
}

/** Where a subscription's events go. */
export interface Sink {
  /** False: it is full. Nothing more is given to it before `drained`. */
  event(entry: StreamEntry): boolean;
  gap(gap: Gap): void;
  /** Resolves when the sink takes more, or is closed. */
  drained(): Promise<void>;
}

/** Entries of a page: so many at first, twice as many after each page that the sink has taken whole. */
const PAGE = { first: 10, most: 100 };
const RETRY_MS = 500;

/**
 * One reader of a stream. It reads pages from its own position until it has caught up with the node's tail, and from
 * there takes what the tail hands it. When its sink is full it lets go of everything, and later reads again what the sink has
 * not taken: however slow it is, it holds its position and no event. Ordinals without a hole are its proof that nothing was lost.
 */
export class Subscription {
  readonly #store: SharedStore;
  readonly #tail: StreamTail;
  readonly #key: StreamKey;
  readonly #sink: Sink;
  readonly #until: ReadonlySet<string>;
  #position: StreamPosition;
  #pageSize = PAGE.first;
  #state: 'reading' | 'live' | 'closed' = 'reading';
  #interrupt: () => void = () => undefined;
  #unfollow: () => void = () => undefined;

  /** @param until the events after which it is over, beside the stream's own end */
  constructor(
    store: SharedStore,
    tail: StreamTail,
    key: StreamKey,
    from: StreamPosition,
    sink: Sink,
    until: ReadonlySet<string> = new Set(),
  ) {
    this.#store = store;
    this.#tail = tail;
    this.#key = key;
    this.#position = from;
    this.#sink = sink;
    this.#until = until;
  }

  /** Resolves when the stream has ended, or `close` was called. Redis being away is waited for. */
  async run(): Promise<void> {
    try {
      await this.#settle();
      while (this.#isOpen()) {
        const isLast = await this.#readPage();
        if (isLast && this.#isOpen() && this.#hasCaughtUp()) await this.#live();
        if (this.#isOpen()) await this.#room();
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

  /** Puts a position that the stream does not know right: it has expired since, or has lost its end, or has ended there. */
  async #settle(): Promise<void> {
    if (this.#position === BEGINNING) return;
    const [newest] = await this.#ask('xrevrange', this.#key, '+', '-', 'COUNT', 1);
    if (!newest) {
      this.#sink.gap({ from: formatPosition(this.#position), to: null, lost: null });
      this.#position = BEGINNING;
    } else if (!isAfter(newest.position, this.#position)) {
      this.#position = newest.position;
      if (newest.event === END) this.#deliver(newest);
    }
  }

  /** False when there may be more to read. */
  async #readPage(): Promise<boolean> {
    const asked = this.#pageSize;
    const page = await this.#ask('xrange', this.#key, `(${formatPosition(this.#position)}`, '+', 'COUNT', asked);
    for (const [index, entry] of page.entries()) {
      if (!this.#isOpen()) return true;
      if (!this.#follows(entry)) this.#sink.gap(this.#gapBefore(entry));
      if (this.#deliver(entry)) continue;
      // About as many fit the next time.
      this.#pageSize = index + 1;
      return !this.#isOpen();
    }
    this.#pageSize = Math.min(PAGE.most, asked * 2);
    return page.length < asked;
  }

  /** Whether nothing lies between here and what the tail will hand out next. */
  #hasCaughtUp(): boolean {
    const last = this.#tail.lastOf(this.#key);
    if (last !== null && isAfter(parsePosition(last) ?? BEGINNING, this.#position)) return false;
    this.#unfollow();
    this.#unfollow = this.#tail.follow(this.#key, formatPosition(this.#position), (entries) => this.#offer(entries));
    return true;
  }

  /** Takes what the tail hands out until the sink is full, something is missing, or it is over. */
  #live(): Promise<void> {
    this.#state = 'live';
    return new Promise((resolve) => (this.#interrupt = resolve));
  }

  /** Resolves when the sink takes more, or when it is over. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#interrupt = resolve;
      void this.#sink.drained().then(resolve);
    });
  }

  #offer(raw: readonly RawEntry[]): void {
    for (const each of raw) {
      if (this.#state !== 'live') return;
      const entry = parseEntry(each);
      if (!isAfter(entry.position, this.#position)) continue;
      if (this.#follows(entry) && this.#deliver(entry)) continue;
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

  #follows({ position }: StreamEntry): boolean {
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

  async #ask(...command: [string, ...(string | number)[]]): Promise<StreamEntry[]> {
    while (this.#isOpen()) {
      try {
        const [entries] = await this.#store.together([command]);
        return (entries as RawEntry[]).map(parseEntry);
      } catch {
        await sleep(RETRY_MS);
      }
    }
    return [];
  }
}
