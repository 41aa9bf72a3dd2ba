import { MINUTE_MS } from '../../foundation/durations.ts';

/** Resources of one promotion. */
export const MAX_UNITS = 1_000;

/** A watch lasts four hours at most: after that the next promotion waits for no good. */
export const SOAK_LIMITS = { seconds: [1, 14_400], minCommands: [1, 1_000_000] } as const;
export const SOAK_DEFAULTS = { maxErrorRate: 0.05, minCommands: 5 } as const;
/** Looks that a watch consists of, at least and at most so far apart. */
export const SOAK_LOOKS = 20;
export const MIN_SOAK_INTERVAL_MS = 500;
export const MAX_SOAK_INTERVAL_MS = MINUTE_MS;
/** Unhealthy looks in a row that take a promotion back: one missed beat is no illness. */
export const UNHEALTHY_LOOKS = 3;

/** Files of one application. */
export const MAX_FILES = 20_000;

/** Resources that an author saves at once. */
export const MAX_SAVED_DRAFTS = 500;

/** An export holds a whole environment. */
export const MAX_IMPORT_BYTES = 32 * 1024 * 1024;

/** Time limit of all examples of a promotion together; the rest is skipped. */
export const EXAMPLES_MS = 5_000;
/** How far the clock of this machine may be behind the one that wakes the workflows. */
export const CLOCK_SKEW_MS = MINUTE_MS;
/** Interval of reading the row between announcements, which can get lost. */
export const STREAM_LOOK_EVERY_MS = 5_000;
