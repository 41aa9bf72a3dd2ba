/** Rounds of tool calls in one reply, unless the assistant sets its own number. */
export const DEFAULT_MAX_TURNS = 8;
export const MAX_CALLS_PER_TURN = 8;
/** Characters of one reply: it fits into one event in any script. */
export const MAX_TEXT = 60_000;
/** Characters of the conversation that a provider receives. */
export const MAX_REMEMBERED = 60_000;
/** Messages of the conversation that a provider receives. */
export const MAX_REMEMBERED_MESSAGES = 40;

/** An accepted reply that no worker has started after this long never had a workflow. */
export const START_LIMIT_MS = 60_000;
/** A worker silent for longer than its workflow would wait is gone. */
export const GENERATION_LIMIT_MS = 15 * 60_000;
/** Time for a user to confirm a command. */
export const CONFIRMATION_LIMIT_MS = 15 * 60_000;
/** Lets the workflow expire a confirmation before another message may take its place. */
export const CONFIRMATION_MARGIN_MS = 60_000;

/** Records that a tool returns at most; the total counts the others. */
export const MAX_LISTED = 50;
export const DEFAULT_LISTED = 10;
/** Characters of a tool result: models are billed by length. */
export const MAX_RESULT_CHARACTERS = 16_000;
/** Characters of a tool call's arguments. */
export const MAX_ARGUMENTS = 50_000;
/** Characters of a tool call's arguments in the event that shows them. */
export const MAX_SHOWN_ARGUMENTS = 10_000;

export const MAX_MESSAGE = 8_000;
export const TITLE_LENGTH = 80;

/** Interval at which a worker checks whether its reply was stopped. */
export const STOP_POLL_MS = 500;
/** Interval at which a queued message of a channel checks whether it is next. */
export const QUEUE_POLL_MS = 500;
/** Interval at which a workflow checks a confirmation without a signal. */
export const CONFIRMATION_POLL_MS = 5 * 60_000;
