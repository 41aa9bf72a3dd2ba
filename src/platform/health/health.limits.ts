/** A dependency that does not answer in this time counts as away. */
export const HEALTH_TIMEOUT_MS = 2_000;
