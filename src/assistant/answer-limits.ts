/** How often one answer may use tools, where its assistant does not say. */
export const DEFAULT_MAX_TURNS = 8;
export const MAX_CALLS_PER_TURN = 8;
/** An answer fits into one event, whatever it is written in. */
export const MAX_TEXT = 60_000;
/** So many characters of what was said a provider is told. */
export const MAX_REMEMBERED = 60_000;
