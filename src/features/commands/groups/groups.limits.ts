export const LANE = {
  /** A command that has waited for longer is refused; younger ones are left alone by the sweeper. */
  maxWaitMs: 3_000,
  /** Of a group, while other tenants wait. */
  maxOfOneTenant: 16,
  /** A group none of whose commands ends for so long does not keep the next one from its start. */
  maxStillMs: 80,
  /** For this long each end of a command renews that time. A full group takes 50 to 250 ms. */
  maxHoldMs: 500,
  /** So long clients of a busy node take to send their next commands, with the way through the API. */
  returnMs: 12,
  /** A command that takes longer is no longer counted as work of this node. */
  longMs: 2_000,
};

/** Share of the pool that commands of groups use; the rest is for requests. */
export const POOL_SHARE = 0.8;

/**
 * The time limit of a statement within a group. What needs longer is put off, and goes on alone with the
 * time limit of the connection.
 */
export const GROUP_STATEMENT_TIMEOUT_MS = 2_000;
