import { MINUTE_MS } from './durations.ts';

// database
/**
 * How long a statement may run. It stands well above the slowest sensible list, and below the 30 s that
 * proxies commonly grant.
 */
export const STATEMENT_TIMEOUT_MS = 20_000;
/** How long a request waits for a connection to Postgres before it fails with 503. */
export const DATABASE_WAIT_MS = 5_000;
/** How long an answer may take to arrive: a server that is silent cannot keep to its own limit. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** Bytes of rows that one statement writes. */
export const MAX_SENT_BYTES = 32 * 1024 * 1024;
/** Bytes of a row whose values are parsed in turns with other work, and of rows that are received in one. */
export const LONG_ROW = 16 * 1024;
export const LONG_READ = 128 * 1024;

// http
/** How long a slow client may keep a connection busy. */
export const CLIENT_TIMEOUTS = {
  headersMs: 15_000,
  /** For the whole request to arrive, an upload of 100 MB included. Other bodies have less time. */
  requestMs: 15 * MINUTE_MS,
  /** For the next request on a connection that is kept: longer than proxies keep theirs. */
  keepAliveMs: 65_000,
};
export const IDLE_CHECK_MS = 100;
/** Of the bytes of an answer that is JSON. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** For a body to arrive, however steadily it dribbles in. */
export const BODY_ARRIVAL_MS = MINUTE_MS;

// jobs
export const KEPT_STARTS_SECONDS = 7 * 24 * 3_600;
/** How long such work may hold the event loop before others have their turn. */
export const TURN_MS = 10;

// memory
/**
 * Share of the heap for results that are being read and answered, of all requests and jobs together. A larger
 * one has the collector of garbage hold up everything.
 */
export const SHARE_OF_HEAP = 1 / 6;
/** Bytes that one request or transaction may hold of what it reads: a full answer of wide characters. */
export const MAX_HELD_BYTES = 40 * 1024 * 1024;
/** A request that holds less never waits: small answers go on beside large ones. */
export const UNWAITED_BYTES = 256 * 1024;
/** How long a result waits for memory, and how many wait, each with a connection to Postgres. */
export const MEMORY_WAIT_MS = 5_000;
export const MAX_MEMORY_WAITING = 3;
/** A client that takes nothing of a large answer for so long is cut off. */
export const STALLED_CLIENT_MS = 15_000;

// outbound
/**
 * How long a connection may be idle: less than most servers allow, so that they do not close it during a
 * request.
 */
export const IDLE_TIMEOUT_MS = 4_000;
/** Upper limit of an idle time that the server names. */
export const MAX_IDLE_TIMEOUT_MS = 30_000;
/** Age at which a connection is replaced, so that its name is resolved again. */
export const MAX_CONNECTION_AGE_MS = MINUTE_MS;
/** Number of a name's addresses that are tried, IPv4 first. */
export const MAX_CONNECT_ATTEMPTS = 4;
export const CONNECT_TIMEOUT_MS = 1_000;
export const NAME_QUERY_TIMEOUT_MS = 2_000;
export const NAME_QUERY_TRIES = 2;
export const NAME_RESOLVE_TIMEOUT_MS = 5_000;

// redis
/** How long a request waits for an answer of Redis before it fails with 503. */
export const REDIS_WAIT_MS = 2_000;
/** How long a read waits for entries. */
export const TAIL_BLOCK_MS = 5_000;
/** A read without a reply for this long is on a dead connection. */
export const TAIL_DEAD_AFTER_MS = TAIL_BLOCK_MS + 3_000;
export const TAIL_RETRY_MS = 250;
export const WAKE_KEY_SECONDS = 60;

// temporal
export const PROBE_EVERY_MS = 500;
/** How long a request waits for Temporal before it fails with 503. */
export const TEMPORAL_WAIT_MS = 3_000;
/** How long a request waits for an update's outcome: less than the read timeout of proxies. */
export const UPDATE_TIMEOUT_MS = 25_000;
export const LIST_TIMEOUT_MS = 20_000;
export const RECONNECT_DELAY_MS = 1_000;
export const PROBE_TIMEOUT_MS = 1_000;
export const UPKEEP_EVERY_MS = 10_000;

// validation
/** Levels of objects and arrays in the JSON of requests and files. */
export const MAX_JSON_DEPTH = 32;
/** The same in what other services answer. */
export const MAX_ANSWER_DEPTH = 100;
/** Keys of what other services answer: rows repeat them. */
export const MAX_ANSWER_KEYS = 200_000;
export const MAX_ANSWER_VALUES = 400_000;
/** Keys of a JSON text of up to 1 MiB: to parse and hash so many takes 40 ms. More bytes may have more. */
export const MAX_JSON_KEYS = 30_000;
/** Values of a JSON text of up to 1 MiB, as `MAX_JSON_KEYS`. */
export const MAX_JSON_VALUES = 100_000;
/** Keys, and values, of any JSON text. */
export const MAX_LONG_JSON = 1_000_000;
/** Characters of a JSON text that is scanned and parsed at once. */
export const SHORT_JSON = 64 * 1024;
/** Characters of a JSON text that are scanned or parsed in one turn. */
export const JSON_SLICE = 1024 * 1024;
