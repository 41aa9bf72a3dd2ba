export const MAX_ITEMS = 500;
/** Room for 500 payloads of 4 KiB. Parsing and checking a larger body would hold the event loop. */
export const MAX_BATCH_BYTES = 2 * 1024 * 1024;

/** Share of the pool that batches use, whatever their number: single commands have the rest. */
export const BATCH_POOL_SHARE = 0.5;

/** The longest that the transaction of an atomic batch may hold its locks. */
export const MAX_TRANSACTION_MS = 60_000;
