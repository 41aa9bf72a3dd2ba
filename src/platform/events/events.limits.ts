/** Characters of a filter expression: it is compiled once and evaluated for each event. */
export const MAX_FILTER_LENGTH = 4_000;
/** The column's length. */
export const MAX_EVENT_TYPE_LENGTH = 100;
/** JSON of what a step of a command emits, or gives to an automation. */
export const MAX_EVENT_PAYLOAD_BYTES = 64 * 1024;
/** The pause before an event that cannot be matched is tried again doubles from one second up to this. */
export const MAX_POSTPONE_SECONDS = 3_600;
/** From this age on, the times that an event has been taken are counted: it may be what kills its workers. */
export const LATE_AFTER_SECONDS = 10;
export const RELAY_BATCH = 100;
export const RELAY_POLL_MS = 1_000;
/** Rounds start this far apart, so that commands that end together share one. The first starts at once. */
export const RELAY_PACE_MS = 20;
/** The relay of the node that has written an event goes first. */
export const FOREIGN_DELAY_MS = 25;
