/** How often a node says that it is there. */
export const BEAT_EVERY_MS = 10_000;
/** A node that has said nothing for so long is not shown. */
export const NODE_GONE_MS = 60_000;
/** Minutes of rates and latencies that a node remembers. */
export const MINUTES_KEPT = 60;
