import { DAY_MS } from '../../foundation/durations.ts';

/** The name of such a file changes with its content. */
export const HASHED_FILE_SECONDS = (365 * DAY_MS) / 1_000;
