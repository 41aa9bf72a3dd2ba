import { createHash } from 'node:crypto';
import { problemOfText } from '../assistant/chat-requests.ts';
import { throwIfInvalid, validationError, type FieldErrors } from '../errors/application-error.ts';
import type { ImChannelContent } from '../metadata/content.ts';

export const MAX_TEXT = 8_000;
export const MAX_ID = 200;
/** A sender that repeats itself means it, later than this; before, it is the network. */
const SAME_BODY_MS = 30_000;
const SAME_ID_MS = 24 * 3_600_000;

/** A message as it came in. */
export interface Inbound {
  /** The conversation's id in the channel. */
  readonly conversationId: string;
  readonly sender: string;
  readonly text: string;
  /** Two messages of a conversation with the same key are one, within the window. */
  readonly dedupeKey: string;
  readonly dedupeMs: number;
}

/** What a signed request says: a message, Slack's question whether we are there, or nothing that concerns an assistant. */
export type Reading =
  | { readonly kind: 'message'; readonly message: Inbound }
  | { readonly kind: 'challenge'; readonly challenge: string }
  | { readonly kind: 'ignored' };

/** @throws VALIDATION_ERROR */
export function readInbound(kind: ImChannelContent['kind'], body: Buffer): Reading {
  const parsed = parseJson(body);
  return kind === 'slack' ? readSlack(parsed) : { kind: 'message', message: readJson(parsed, body) };
}

type Body = Readonly<Record<string, unknown>>;

function parseJson(body: Buffer): Body {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Body;
  } catch {
    // The same problem.
  }
  throw validationError({ body: 'must be a JSON object' });
}

function readJson({ conversationId, sender, text, messageId }: Body, body: Buffer): Inbound {
  const message = checked({ conversationId, sender, text });
  if (messageId === undefined) {
    const dedupeKey = `body:${createHash('sha256').update(body).digest('hex')}`;
    return { ...message, dedupeKey, dedupeMs: SAME_BODY_MS };
  }
  const problem = problemOfText(messageId, MAX_ID - 3);
  if (problem) throw validationError({ messageId: problem });
  return { ...message, dedupeKey: `id:${messageId as string}`, dedupeMs: SAME_ID_MS };
}

/** Slack's Events API. What bots say, we ourselves among them, and what changes or deletes a message is not for us. */
function readSlack({ type, challenge, event, event_id: eventId }: Body): Reading {
  if (type === 'url_verification') return { kind: 'challenge', challenge: String(challenge).slice(0, MAX_ID) };
  const said = (typeof event === 'object' ? event : null) as Body | null;
  const isMessage = said?.type === 'message' || said?.type === 'app_mention';
  if (type !== 'event_callback' || !said || !isMessage || said.bot_id || said.subtype || !said.user || !said.text) {
    return { kind: 'ignored' };
  }
  // A thread is a conversation of its own.
  const thread = typeof said.thread_ts === 'string' ? `:${said.thread_ts}` : '';
  const message = checked({ conversationId: `${String(said.channel)}${thread}`, sender: said.user, text: said.text });
  const key = typeof eventId === 'string' && eventId !== '' ? eventId : `${String(said.channel)}:${String(said.ts)}`;
  return {
    kind: 'message',
    message: { ...message, dedupeKey: `id:${key.slice(0, MAX_ID - 3)}`, dedupeMs: SAME_ID_MS },
  };
}

function checked(given: Body): Pick<Inbound, 'conversationId' | 'sender' | 'text'> {
  const errors: FieldErrors = {};
  for (const [name, value] of Object.entries(given)) {
    const problem = problemOfText(value, name === 'text' ? MAX_TEXT : MAX_ID);
    if (problem) errors[name] = problem;
  }
  throwIfInvalid(errors);
  return given as unknown as Pick<Inbound, 'conversationId' | 'sender' | 'text'>;
}
