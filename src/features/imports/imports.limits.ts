import { DAY_MS, MINUTE_MS } from '../../foundation/durations.ts';

/** Rows of one file, beside its first. */
export const MAX_ROWS = 1_000_000;
export const MAX_COLUMNS = 1_000;
/** Characters of one row of a file, as it stands there. */
export const MAX_ROW_LENGTH = 1024 * 1024;
/** Characters and rows of a CSV file by which its delimiter is guessed. */
export const SAMPLE_LENGTH = 64 * 1024;
export const SAMPLE_ROWS = 50;
// Workbooks: a few hundred bytes can unpack to gigabytes. What is larger is imported as CSV.
/** What the parts of a workbook that are read may unpack to, together. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
/** Parts of a workbook: each is looked up by a read of the file. */
export const MAX_PARTS = 500;
/** Levels of its XML, and attributes of one tag. */
export const MAX_XML_DEPTH = 64;
export const MAX_XML_ATTRIBUTES = 100;
/** Texts that cells share, and their characters. */
export const MAX_SHARED_TEXTS = 1_000_000;
export const MAX_SHARED_CHARACTERS = 16 * 1024 * 1024;
/** Characters of all cells, in which one shared text may stand many times. */
export const MAX_SHEET_CHARACTERS = 64 * 1024 * 1024;
/** What Excel itself allows, about. */
export const MAX_CELL_FORMATS = 65_536;
/** How long a workbook may be read, of which a request waits for the first row. */
export const WORKBOOK_SECONDS = 30;
export const FIRST_ROW_SECONDS = 10;
/** JavaScript objects of the thread that reads a workbook, in MiB: beyond it the thread ends alone. */
export const WORKBOOK_THREAD_MB = 128;
/** Threads that read at once: as many for first rows, as many for imports. */
export const WORKBOOK_THREADS = 2;
/** Requests that wait for a first row. */
export const MAX_WAITING_WORKBOOKS = 20;
/** Workbooks whose rows one worker holds at a time, packed, in MiB each. */
export const WORKBOOKS_AT_ONCE = 2;
export const MAX_PACKED_ROWS_MB = 32;
/** Characters of rows that are unpacked or written at a time; bytes of a file that a thread asks for. */
export const BLOCK_CHARACTERS = 256 * 1024;
export const READ_BYTES = 256 * 1024;

/**
 * Rows applied in one transaction. It locks the changed records and occupies the event loop for that long.
 */
export const CHUNK_ROWS = 250;
/** The same for the rows at which a worker has died, by how often they were begun. */
export const CHUNK_ROWS_BY_START: readonly number[] = [CHUNK_ROWS, 5, 1];
/** Characters of the values of one chunk, about. */
export const CHUNK_LENGTH = 512 * 1024;
/** Characters of the events of rows that are written together: records can be much larger than their rows. */
export const MAX_EFFECTS_LENGTH = 4 * 1024 * 1024;
/** Share of the pool that imports use: the rest is for requests and single commands. */
export const IMPORT_POOL_SHARE = 0.5;
/** Imports that one worker reads at a time; others wait for their turn. */
export const IMPORTS_AT_ONCE = 8;
/** Imports of one user, and of one tenant, that have not ended. */
export const MAX_OPEN_OF_USER = 5;
export const MAX_OPEN_OF_TENANT = 20;
/** Rows that the error report names; the others are counted. */
export const MAX_REPORTED_ROWS = 10_000;
/** Rows of which an import keeps what the file has, and how much of it. */
export const MAX_SHOWN_ROWS = 500;
export const MAX_SHOWN_CELLS = 50;
export const MAX_SHOWN_CELL = 200;
/** The column that says what is wrong with each row in the file of those that failed: no code of a field. */
export const ERROR_COLUMN = 'import error';
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
export const SILENT_MS = MINUTE_MS;
export const SWEPT_AT_ONCE = 50;
/** Imports that one statement deletes: each has many problems. */
export const RETENTION_BATCH = 20;
