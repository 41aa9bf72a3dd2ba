const DAY_MS = 86_400_000;

/** Rows of one file, beside its first. */
export const MAX_ROWS = 1_000_000;
export const MAX_COLUMNS = 1_000;
/** Characters of one row of a file, as it stands there. */
export const MAX_ROW_LENGTH = 1024 * 1024;
/** What a part of a workbook may unpack to, and all texts that its cells share, in characters. */
export const MAX_PART_BYTES = 1024 * 1024 * 1024;
export const MAX_SHARED_TEXTS = 32 * 1024 * 1024;
/** Parts of a workbook: each is looked up by a read of the file. */
export const MAX_PARTS = 500;

/**
 * Rows applied in one transaction. It locks the changed records and occupies the event loop for that long.
 */
export const CHUNK_ROWS = 250;
/** Characters of the values of one chunk, about. */
export const CHUNK_LENGTH = 512 * 1024;
/** Share of the pool that imports use: the rest is for requests and single commands. */
export const IMPORT_POOL_SHARE = 0.5;
/** Imports that one worker reads at a time; others wait for their turn. */
export const IMPORTS_AT_ONCE = 8;
/** Imports of one user, and of one tenant, that have not ended. */
export const MAX_OPEN_OF_USER = 5;
export const MAX_OPEN_OF_TENANT = 20;
/** Rows that the error report names; the others are counted. */
export const MAX_REPORTED_ROWS = 10_000;
/** How long imports and their error reports are kept. */
export const IMPORT_DAYS = 30;
export const REPORT_KEPT_MS = IMPORT_DAYS * DAY_MS;
/** Interval of reading the rows of watched imports. */
export const LOOK_EVERY_MS = 500;
/** Interval of looking for imports without a workflow. */
export const SWEEP_EVERY_MS = 5_000;
/** Younger ones are still with the request that accepted them. */
export const OVERDUE_MS = 10_000;
/** An import without progress for this long may have lost its workflow. */
export const SILENT_MS = 60_000;
