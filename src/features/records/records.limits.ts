/** Bounds of a filter: beyond them it is a denial of service, not a question. */
export const MAX_CONDITIONS = 100;
export const MAX_FILTER_DEPTH = 8;
export const MAX_LIST_VALUES = 1_000;
/** Lifetime of an unused total; also the longest a total could outlive a write whose stamp was lost. */
export const CACHED_TOTAL_SECONDS = 300;
