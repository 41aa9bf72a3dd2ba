import { MINUTE_MS } from '../../foundation/durations.ts';

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
export const START_LIMIT_MS = MINUTE_MS;
/** A worker silent for longer than its workflow would wait is gone. */
export const GENERATION_LIMIT_MS = 15 * MINUTE_MS;
/** Time for a user to confirm a command. */
export const CONFIRMATION_LIMIT_MS = 15 * MINUTE_MS;
/** Lets the workflow expire a confirmation before another message may take its place. */
export const CONFIRMATION_MARGIN_MS = MINUTE_MS;

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
export const CONFIRMATION_POLL_MS = 5 * MINUTE_MS;
/** Text that comes within this time is sent as one event. */
export const TEXT_BATCH_MS = 40;
export const TEXT_TRIES = 20;
export const TEXT_RETRY_MS = 250;
/** Attempts at one turn, the first included. */
export const PROVIDER_ATTEMPTS = 3;
export const PROVIDER_FIRST_DELAY_MS = 500;
/** A longer `Retry-After` is reported to the user. */
export const PROVIDER_MAX_DELAY_MS = 15_000;
/** Delay between two words, so that a reader can follow. */
export const BUILTIN_WORD_MS = 8;
/** Limits of one statement. A conversation with more messages is deleted alone. */
export const RETENTION_BATCH = { conversations: 1_000, messages: 10_000 };
