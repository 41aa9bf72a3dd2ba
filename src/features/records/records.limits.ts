/** Bounds of a filter: beyond them it is a denial of service, not a question. */
export const MAX_CONDITIONS = 100;
export const MAX_FILTER_DEPTH = 8;
export const MAX_LIST_VALUES = 1_000;
/** Lifetime of an unused total; also the longest a total could outlive a write whose stamp was lost. */
export const CACHED_TOTAL_SECONDS = 300;
/** Bounds of what the deletion of one record deletes and changes: it is one transaction, which locks all of it. */
export const MAX_TOUCHED_RECORDS = 1_000;
export const MAX_CASCADE_DEPTH = 20;
/** References are counted up to here: nobody waits for the exact number of a million. */
export const MAX_COUNTED_REFERENCES = 1_000;
