/** Longer data belongs where it can be fetched; the event says where. */
export const MAX_DATA_BYTES = 256 * 1024;
/** Checks of a session that the lease of a user's slot outlives. */
export const LEASE_CHECKS = 3;
/** Reconnection delay for clients. */
export const CLIENT_RETRY_MS = 2_000;
/** Range of the delay for the clients of a stopping node, so that they do not all reconnect at once. */
export const CLIENT_RETRY_ELSEWHERE_MS = { from: 100, to: 1_000 };
/** How long a client may take to read its last events. */
export const LINGER_MS = 5_000;
export const READ_RETRY_MS = 500;
