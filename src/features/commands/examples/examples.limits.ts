export const MAX_EXAMPLES = 50;
export const MAX_GIVEN = 20;

/** Time limit of all examples of a command together; the rest is skipped. */
export const EXAMPLES_MS = 5_000;
