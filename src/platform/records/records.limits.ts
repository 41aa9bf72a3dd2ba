/** Bounds of a filter: beyond them it is a denial of service, not a question. */
export const MAX_CONDITIONS = 100;
export const MAX_FILTER_DEPTH = 8;
export const MAX_LIST_VALUES = 1_000;
/** Lifetime of an unused total; also the longest a total could outlive a write whose stamp was lost. */
export const CACHED_TOTAL_SECONDS = 300;
/**
 * Bounds of what the deletion of one record deletes and changes: it is one transaction, which locks all of
 * it.
 */
export const MAX_TOUCHED_RECORDS = 1_000;
export const MAX_CASCADE_DEPTH = 20;
/** References are counted up to here: counting a million exactly takes too long. */
export const MAX_COUNTED_REFERENCES = 1_000;
/** The counter of a past year is of no use any more after so long. */
export const PAST_COUNTER_DAYS = 800;
/** Writes that are undone anyway, and whose numbers another one has taken meanwhile, are tried so often. */
export const REHEARSED_NUMBER_ATTEMPTS = 5;
export const MAX_SORT_FIELDS = 10;
/** Named values of one query: two for each condition that a VIEW may have. */
export const MAX_EXTRA_PARAMS = 2 * MAX_CONDITIONS;
/** How far `count=capped` counts. */
export const CAPPED_TOTAL = 1_000;
/** Pages that end beyond so many records are answered with a hint at the cursor. */
export const ROWS_BEFORE_CURSOR_HINT = 100_000;
export const MAX_CURSOR_LENGTH = 4_000;
/** Sort values longer than this do not travel in a cursor: they are read again by the record's id. */
export const MAX_CURSOR_VALUES = 2_000;
/** Cursors that a process keeps sealed, and how many characters one may be made of. */
export const KEPT_CURSORS = 1_000;
export const MAX_KEPT_CURSOR_PLACE = 1_000;
/** Relations that one path of a condition or an order follows, and that all of a query follow. */
export const MAX_RELATION_HOPS = 2;
export const MAX_JOINS = 8;
/** Paths of `fields`: each is looked up for every record of a page. */
export const MAX_SHOWN_PATHS = 20;
/** Paths of `expand`, and related records that are answered for one record. */
export const MAX_EXPANSIONS = 5;
export const EXPANDED_RECORDS = 20;
/** More than any page leads to: 500 records with 20 each. */
export const MAX_EXPANDED_RECORDS = 10_000;
/** Views of one user's own, in one tenant and environment. */
export const MAX_VIEWS = 200;
/** Length of a view's conditions as JSON. */
export const MAX_VIEW_CONDITIONS = 20_000;
/** Records that one look-up gives, and the length of what they are called there. */
export const MAX_OPTIONS = 50;
export const MAX_OPTION_LABEL = 200;
export const MAX_GROUP_FIELDS = 5;
export const MAX_MEASURES = 20;
export const MAX_GROUPS = 1_000;
/** Fields of one description by figures: each sorts all records to count its distinct values. */
export const MAX_STATS_FIELDS = 20;
/** Items of one batch, and related records that are saved with one. */
export const MAX_BATCH = 500;

/** Names in a body's `fields` or `expand`: a model has at most half as many fields. */
export const MAX_NAMES = 1_000;
/** The same as one text, in characters: as many as a URL takes. */
export const MAX_NAMES_LENGTH = 64 * 1024;

/** Records to begin with that are checked before others get their turn. */
export const SEEDS_AT_ONCE = 200;
