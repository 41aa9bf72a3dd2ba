/** Descriptions that a node keeps, all together, and the largest that it keeps. */
export const MAX_CACHED_BYTES = 64 * 1024 * 1024;
