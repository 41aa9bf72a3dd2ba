/** How long a REST source may take where its author names no limit, in ms: a person waits for the answer. */
export const DEFAULT_REST_TIMEOUT_MS = 5_000;
/** An answer is held in memory as a whole. */
export const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
/** Rows of an answer, which has no pages. */
export const DEFAULT_MAX_ITEMS = 100;
export const MAX_ITEMS = 5_000;
/** Params that one data source may declare. */
export const MAX_PARAMS = 50;

/** A day: what a cache holds for longer is a copy. */
export const MAX_CACHE_SECONDS = 86_400;
/** A longer answer is not kept: those of one tenant take at most 35 MB of Redis. */
export const MAX_CACHED_ANSWER_BYTES = 256 * 1024;
/** Answers that are kept for one tenant in one environment. */
export const MAX_CACHED_ANSWERS = 100;
/** How long a service that was unavailable is not asked again where there is an earlier answer. */
export const RETRY_AFTER_SECONDS = 5;

/** The body of a test: its content goes into the audit trail. */
export const MAX_TEST_BYTES = 128 * 1024;
