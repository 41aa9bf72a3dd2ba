import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { MessageEntity, type Conversation, type Message } from './conversation.entity.ts';
import { conversationKey, endEvent, hasEnded, startEvent } from './reply-events.ts';

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
