import { createHash } from 'node:crypto';
import { throwIfInvalid, validationError } from '../errors/application-error.ts';
import { writtenUpTo } from '../http/formats.ts';
import { problemsOf } from '../http/schema-problems.ts';
import { openObject } from '../http/schema.ts';
import type { ImChannelContent } from '../metadata/content.ts';

const MAX_ID = 200;
const MAX_KEY = MAX_ID - 'id:'.length;
/** A sender that repeats itself means it, later than this; before, it is the network. */
const SAME_BODY_MS = 30_000;
const SAME_ID_MS = 24 * 3_600_000;

/** Of a channel of the kind `json`; what it does not know is ignored. */
export const MESSAGE = openObject(
  { conversationId: writtenUpTo(MAX_ID), sender: writtenUpTo(MAX_ID), text: writtenUpTo(8_000) },
  { messageId: { ...writtenUpTo(MAX_KEY), description: 'Two with the same are one' } },
);

interface Message {
  readonly conversationId: string;
  readonly sender: string;
  readonly text: string;
  readonly messageId?: string;
}

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

function readJson(given: Body, body: Buffer): Inbound {
  const { messageId, ...message } = checked(given);
  if (messageId === undefined) {
    const dedupeKey = `body:${createHash('sha256').update(body).digest('hex')}`;
    return { ...message, dedupeKey, dedupeMs: SAME_BODY_MS };
  }
  return { ...message, dedupeKey: `id:${messageId}`, dedupeMs: SAME_ID_MS };
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
    message: { ...message, dedupeKey: `id:${key.slice(0, MAX_KEY)}`, dedupeMs: SAME_ID_MS },
  };
}

/** @throws VALIDATION_ERROR */
function checked(given: Body): Message {
  throwIfInvalid(problemsOf(MESSAGE, given));
  const { conversationId, sender, text, messageId } = given as unknown as Message;
  return { conversationId, sender, text, ...(messageId !== undefined && { messageId }) };
}
