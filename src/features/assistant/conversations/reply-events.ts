import { localized, type Template } from '../../../foundation/i18n/text.ts';
import { streamKey, type StreamKey, parsePosition } from '../../../platform/streams/stream-entry.ts';
import type { ServedStream } from '../../../platform/streams/streams.ts';
import type { StreamEvent, StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { type Conversation, type Message, MessageEntity } from './conversation.entity.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';

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
    const { code = 'INTERNAL_ERROR', message = 'The answer could not be made' satisfies Template } = error ?? {};
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

/**
 * Writes the first event of a reply and stores its position, where readers begin. The last event of the reply
 * before goes first: its worker may have died before it wrote that, and events stay in order.
 * @throws SERVICE_UNAVAILABLE
 */
export async function announceReply(
  orm: PlatformOrm,
  streams: StreamWriter,
  conversation: Conversation,
  reply: Message,
): Promise<void> {
  const em = orm.em.fork();
  const earlier = { conversationPid: reply.conversationPid, role: 'assistant', id: { $lt: reply.id } } as const;
  const before = await em.findOne(MessageEntity, earlier, { orderBy: { id: 'desc' } });
  const endBefore = before && hasEnded(before) ? [endEvent(conversation, before)] : [];
  const ids = await streams.append(conversationKey(conversation.pid), ...endBefore, startEvent(conversation, reply));
  const streamId = ids.at(-1) ?? null;
  // Null: the stream has the event already.
  if (streamId === null) return;
  await em.nativeUpdate(MessageEntity, { pid: reply.pid }, { streamId });
  reply.streamId = streamId;
}
