import { localized } from '../../../foundation/i18n/text.ts';
import { streamKey, type StreamKey } from '../../../platform/streams/stream-key.ts';
import { parsePosition } from '../../../platform/streams/stream-position.ts';
import type { ServedStream } from '../../../platform/streams/streams.ts';
import type { StreamEvent } from '../../../platform/streams/stream-writer.ts';
import type { Conversation, Message } from './conversation.entity.ts';

/** Events that end a reply. */
const LAST_EVENTS: ReadonlySet<string> = new Set(['message.completed', 'error']);

export function conversationKey(conversationPid: string): StreamKey {
  return streamKey('conversation', conversationPid);
}

/** The id that readers see: in a channel, the conversation's id there. */
export function publicId({ pid, externalId }: Pick<Conversation, 'pid' | 'externalId'>): string {
  return externalId ?? pid;
}

/** The first event of a reply. */
export function startEvent(conversation: Conversation, { pid }: Pick<Message, 'pid'>): StreamEvent {
  return { event: 'conversation', data: { conversationId: publicId(conversation) }, dedupeId: `${pid}:conversation` };
}

/** The last event of a reply that has ended. */
export function endEvent(conversation: Conversation, { pid, status, text, error }: Message): StreamEvent {
  const dedupeId = `${pid}:end`;
  if (status === 'FAILED') {
    const { code = 'INTERNAL_ERROR', message = 'The answer could not be made' } = error ?? {};
    return { event: 'error', data: { code, message: localized(message) }, dedupeId };
  }
  const stopped = status === 'STOPPED' ? { stopped: true } : {};
  const data = { conversationId: publicId(conversation), text, ...stopped };
  return { event: 'message.completed', data, dedupeId };
}

/** The stream of a conversation, for a reader of one reply: from before its first event to its last one. */
export function replyStream(
  { pid }: Conversation,
  reply: Pick<Message, 'streamId'> | null,
  recheck: ServedStream['recheck'],
): ServedStream {
  const position = parsePosition(reply?.streamId ?? '');
  const from = position && { ...position, ordinal: position.ordinal - 1 };
  return { key: conversationKey(pid), from, until: LAST_EVENTS, recheck };
}

export function hasEnded({ status }: Pick<Message, 'status'>): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'STOPPED';
}
