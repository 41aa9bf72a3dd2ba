/** How long a REST source may take where its author names no limit, in ms: a person waits for the answer. */
export const DEFAULT_REST_TIMEOUT_MS = 5_000;
/** How long the SQL of an author may run: half of what the program's own statements may. */
export const SQL_TIMEOUT_MS = 10_000;
/** What one sort or hash of an author's SQL may hold before it goes to a file. */
export const SQL_WORK_MEMORY_KB = 16 * 1024;
/** An answer is held in memory as a whole. */
export const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
/** Rows of an answer, which has no pages. */
export const DEFAULT_MAX_ITEMS = 100;
export const MAX_ITEMS = 5_000;
/** Params that one data source may declare. */
export const MAX_PARAMS = 50;

/** The longest that an answer is cached. */
export const MAX_CACHE_SECONDS = 86_400;
/** A longer answer is not kept: those of one tenant take at most 35 MB of Redis. */
export const MAX_CACHED_ANSWER_BYTES = 256 * 1024;
/** Answers that are kept for one tenant in one environment. */
export const MAX_CACHED_ANSWERS = 100;
/** How long a service that was unavailable is not called again where there is an earlier answer. */
export const RETRY_AFTER_SECONDS = 5;

/** The body of a test: its content goes into the audit trail. */
export const MAX_TEST_BYTES = 128 * 1024;
