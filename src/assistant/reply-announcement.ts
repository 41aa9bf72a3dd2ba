import type { PlatformOrm } from '../database/orm.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import { MessageEntity, type Conversation, type Message } from './conversation.entity.ts';
import { beginning, conversationKey, ending, isOver } from './reply-events.ts';

/**
 * Writes the event with which an answer begins, and remembers where readers of it begin. The end of the answer before goes
 * first, should its worker not have come to say it: in their order, whatever happened. @throws SERVICE_UNAVAILABLE
 */
export async function announce(
  orm: PlatformOrm,
  streams: StreamWriter,
  conversation: Conversation,
  reply: Message,
): Promise<void> {
  const em = orm.em.fork();
  const earlier = { conversationPid: reply.conversationPid, role: 'assistant', id: { $lt: reply.id } } as const;
  const before = await em.findOne(MessageEntity, earlier, { orderBy: { id: 'desc' } });
  const events = [...(before && isOver(before) ? [ending(conversation, before)] : []), beginning(conversation, reply)];
  const streamId = (await streams.append(conversationKey(conversation.pid), ...events)).at(-1) ?? null;
  // Null: it is there already.
  if (streamId === null) return;
  await em.nativeUpdate(MessageEntity, { pid: reply.pid }, { streamId });
  reply.streamId = streamId;
}
