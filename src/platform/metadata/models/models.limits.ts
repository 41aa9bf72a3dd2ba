/** Above this, what reads a whole table is built after the publish, without stopping its writers. */
export const BIG_TABLE_ROWS = 10_000;
/** Above this, a change that rewrites a table needs consent. */
export const CONSENT_TO_REWRITE_ROWS = 100_000;
/**
 * The longest text of an indexed field, in characters: an entry of a B-tree has at most 2,704 bytes, and a
 * character up to four.
 */
export const MAX_INDEXED_CHARACTERS = 600;
/**
 * The columns that a table of Postgres can ever have: a dropped one counts until the table is written anew.
 */
export const MAX_COLUMNS = 1_600;
/**
 * Bytes of a row of Postgres. Longer values are moved out of it, except for what is shorter than a pointer.
 */
export const MAX_ROW_BYTES = 8_160;
/** The fields that the refusal of a record names when its row is too wide: the widest of them. */
export const NAMED_WIDE_FIELDS = 10;
/** Of a table with more records the newest are held against new `checks`, so many at a time. */
export const MAX_CHECKED_RECORDS = 500_000;
export const CHECKED_PAGE_RECORDS = 2_000;
/** How fast a table with its indexes is rewritten, for the estimate that people consent to. */
export const REWRITTEN_BYTES_PER_SECOND = 50 * 1024 * 1024;

/**
 * Attempts to lock the tables of a publish. While one waits for such a lock, all later writers wait behind
 * it. The last attempt waits longer than `deadlock_timeout`, so that Postgres ends an autovacuum that is in
 * the way.
 */
export const LOCK_ATTEMPTS_MS = [200, 200, 200, 200, 1_500];
export const LOCK_PAUSE_MS = 300;

/** Faults of a build that are not known to pass: after so many it is given up. */
export const MAX_BUILD_ATTEMPTS = 5;
export const BUILD_RETENTION_DAYS = 30;
export const SAVE_ATTEMPTS = 3;
export const BUILD_POLL_MS = 1_000;
export const BUILD_LOOK_EVERY_MS = 2_000;
/** A larger table is not counted for a preview: Postgres' estimate is good enough there. */
export const COUNTED_ROWS = 100_000;
