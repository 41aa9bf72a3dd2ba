import { DAY_MS, MINUTE_MS } from '../../foundation/durations.ts';

const MB = 1024 * 1024;
/** Bytes of one row of a file that is kept in Postgres, and of one read of it. */
export const CHUNK_BYTES = MB / 4;
/** Bytes of one part of a file that is sent to an S3-compatible store: the least that S3 takes. */
export const PART_BYTES = 5 * MB;
/** Bytes of one read from such a store. */
export const READ_BYTES = MB;
/** Uploads of one node at once: each holds a chunk or a part in memory. */
export const MAX_UPLOADS = 16;
/** Uploads of one user at once, on all nodes. */
export const MAX_UPLOADS_OF_USER = 4;
/** Bytes of one user's files that no record names yet. */
export const MAX_LOOSE_BYTES = 1024 * MB;
/** How long a file that no record names is kept. */
export const LOOSE_FILE_MS = DAY_MS;
/** An upload not renewed for this long has been interrupted. */
export const UPLOAD_LEASE_MS = MINUTE_MS;
export const UPLOAD_RENEWAL_MS = 15_000;
/** Interval and batch size of the collector. */
export const COLLECT_EVERY_MS = 20_000;
export const COLLECT_BATCH = 50;
/** When an unfinished removal is tried again. */
export const REMOVAL_LEASE_MS = 5 * MINUTE_MS;
export const MAX_NAME_LENGTH = 200;
/** The beginning of a file, by which its type is known. */
export const HEAD_BYTES = 4_100;
/** Chunks that one statement removes. */
export const REMOVED_AT_ONCE = 64;
/** For one request: none carries more than a part. */
export const S3_TIMEOUT_MS = MINUTE_MS;
/** For the answer that shows that the store is there. */
export const S3_PING_TIMEOUT_MS = 2_000;
export const S3_RETRIES = 3;
/** A client that sends nothing for this long has gone. */
export const UPLOAD_SILENCE_MS = 30_000;
