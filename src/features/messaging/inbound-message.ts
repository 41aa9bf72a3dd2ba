import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { validationError } from '../../foundation/errors/application-error.ts';
import { writtenUpTo } from '../../foundation/validation/formats.ts';
import { ANSWER_JSON, fieldErrorsOf, parseJsonObject } from '../../foundation/validation/json-text.ts';
import { isValid, validate } from '../../foundation/validation/validate.ts';
import { MAX_MESSAGE } from '../assistant/assistant.limits.ts';
import { openObject } from '../../foundation/validation/schema.ts';
import type { ImChannelContent } from './channel-type.ts';
import { SAME_BODY_MS, SAME_ID_MS } from './messaging.limits.ts';

const MAX_ID = 200;
const MAX_KEY = MAX_ID - 'id:'.length;

/** The body of a channel of the kind `json`. Unknown keys are ignored. */
export const MESSAGE = openObject(
  { conversationId: writtenUpTo(MAX_ID), sender: writtenUpTo(MAX_ID), text: writtenUpTo(MAX_MESSAGE) },
  { messageId: { ...writtenUpTo(MAX_KEY), description: 'Two with the same are one' } },
);

export interface InboundMessage {
  /** Id in the channel. */
  readonly conversationId: string;
  readonly sender: string;
  readonly text: string;
  /** Messages of a conversation with the same key within `dedupeMs` are copies of one. */
  readonly dedupeKey: string;
  readonly dedupeMs: number;
}

/** A signed request: a message, Slack's challenge, or an event that is ignored. */
export type ParsedInbound =
  | { readonly kind: 'message'; readonly message: InboundMessage }
  | { readonly kind: 'challenge'; readonly challenge: string }
  | { readonly kind: 'ignored' };

/** @throws VALIDATION_ERROR */
export function parseInbound(kind: ImChannelContent['kind'], body: Buffer): ParsedInbound {
  const json = parseJson(body);
  return kind === 'slack' ? parseSlackEvent(json) : { kind: 'message', message: parseMessage(json, body) };
}

type Body = Readonly<Record<string, unknown>>;

function parseJson(body: Buffer): Body {
  if (!isUtf8(body)) throw validationError({ body: 'is not UTF-8' });
  const parsed = parseJsonObject(body.toString(), ANSWER_JSON);
  if ('problems' in parsed) throw validationError(fieldErrorsOf(parsed, 'body'));
  return parsed.value;
}

function parseMessage(json: Body, body: Buffer): InboundMessage {
  const { messageId, ...message } = checkMessage(json);
  if (messageId === undefined) {
    const dedupeKey = `body:${createHash('sha256').update(body).digest('hex')}`;
    return { ...message, dedupeKey, dedupeMs: SAME_BODY_MS };
  }
  return { ...message, dedupeKey: `id:${messageId}`, dedupeMs: SAME_ID_MS };
}

/** An event of Slack's Events API. Messages of bots, this one included, and edits are ignored. */
function parseSlackEvent({ type, challenge, event, event_id: eventId }: Body): ParsedInbound {
  if (type === 'url_verification') return { kind: 'challenge', challenge: String(challenge).slice(0, MAX_ID) };
  const posted = (typeof event === 'object' ? event : null) as Body | null;
  const isMessage = posted?.type === 'message' || posted?.type === 'app_mention';
  if (type !== 'event_callback' || !isMessage || posted.bot_id || posted.subtype || !posted.user || !posted.text) {
    return { kind: 'ignored' };
  }
  const channel = String(posted.channel);
  // A thread is a conversation of its own.
  const conversationId = typeof posted.thread_ts === 'string' ? `${channel}:${posted.thread_ts}` : channel;
  const { sender, text } = checkMessage({ conversationId, sender: posted.user, text: posted.text });
  const key = typeof eventId === 'string' && eventId !== '' ? eventId : `${channel}:${String(posted.ts)}`;
  const dedupeKey = `id:${key.slice(0, MAX_KEY)}`;
  return { kind: 'message', message: { conversationId, sender, text, dedupeKey, dedupeMs: SAME_ID_MS } };
}

/** @throws VALIDATION_ERROR */
function checkMessage(json: Body) {
  if (!isValid(MESSAGE, json)) throw validationError(validate(MESSAGE, json));
  const { conversationId, sender, text, messageId } = json;
  return { conversationId, sender, text, messageId };
}
