import { DAY_MS } from '../../foundation/durations.ts';

/** The same text again within this time is a repetition by the network; later it is meant. */
export const SAME_BODY_MS = 30_000;
/** A channel repeats a message id for at most this long. */
export const SAME_ID_MS = DAY_MS;
/** How old a Slack request may be, and how far in the future. Slack's own recommendation. */
export const SLACK_WINDOW_SECONDS = 300;
/** A channel's message: text, no attachments. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Roles that a channel's users act in. */
export const MAX_ROLES = 50;
