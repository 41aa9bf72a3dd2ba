/** Lifetime of an API key where its maker names none, and the longest that it may name. */
export const DEFAULT_KEY_DAYS = 90;
export const MAX_KEY_DAYS = 366;

/** Lists of one account travel with every request of its user. */
export const MAX_MEMBERSHIPS = 100;
export const MAX_ROLES_PER_MEMBERSHIP = 50;
export const MAX_NAME_LENGTH = 200;
/** Scopes of one API key. */
export const MAX_SCOPES = 100;
export const MAX_KEYWORD_LENGTH = 200;

/** Rows that one transaction seals again, and what one request may do of it. */
export const RESEAL_BATCH = 100;
export const MAX_RESEALED_BATCHES = 20;
export const RESEAL_MS = 1_000;
