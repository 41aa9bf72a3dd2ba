/** How long a REST source may take where its author names no limit, in ms: a person waits for the answer. */
export const DEFAULT_REST_TIMEOUT_MS = 5_000;
/** An answer is held in memory as a whole. */
export const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
/** Rows of an answer, which has no pages. */
export const DEFAULT_MAX_ITEMS = 100;
export const MAX_ITEMS = 5_000;
