import { MINUTE_MS } from '../../../foundation/durations.ts';

/** Records of one export. A spreadsheet has room for as many. */
export const MAX_EXPORTED_RECORDS = 1_000_000;
/**
 * Exports of one user at a time, on all nodes; and of all users on one node, where each takes some memory.
 */
export const MAX_EXPORTS_OF_USER = 2;
export const MAX_EXPORTS_OF_NODE = 16;
/** Share of the pool that pages of exports use: the rest is for requests that someone waits for. */
export const EXPORT_POOL_SHARE = 0.25;
/** A client that reads more slowly is cut off. */
export const MAX_EXPORT_MS = 15 * MINUTE_MS;
/** A page of an export aims at so many bytes; its number of records follows from the page before. */
export const EXPORT_PAGE_BYTES = 1024 * 1024;
/** Characters of an export that are written at once. */
export const EXPORT_PART_LENGTH = 256 * 1024;
export const EXPORT_PAGE_RECORDS = { first: 50, most: 2_000 };
/** The slot of an export on a node that died is free again after this long. */
export const EXPORT_LEASE_MS = MINUTE_MS;
/** Excel's own limit for the text of a cell. */
export const MAX_CELL_LENGTH = 32_767;
