/** Characters of a filter expression: it is compiled once and evaluated for each event. */
export const MAX_FILTER_LENGTH = 4_000;
/** The column's length. */
export const MAX_EVENT_TYPE_LENGTH = 100;
/** The pause before an event that cannot be matched is tried again doubles from one second up to this. */
export const MAX_POSTPONE_SECONDS = 3_600;
