/** Above this, what reads a whole table is built after the publish, without stopping its writers. */
export const BIG_TABLE_ROWS = 10_000;
/** Above this, a change that rewrites a table needs consent. */
export const CONSENT_TO_REWRITE_ROWS = 100_000;
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
