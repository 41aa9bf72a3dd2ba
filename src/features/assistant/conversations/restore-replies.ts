import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { ChatStarter } from './chat-starter.ts';
import { ConversationEntity, MessageEntity } from './conversation.entity.ts';

/**
 * Starts the workflows of all replies that have not ended. A worker resumes each after what is saved and
 * streamed. @throws SERVICE_UNAVAILABLE
 */
export async function restoreReplies(orm: PlatformOrm, starter: ChatStarter): Promise<void> {
  const em = orm.em.fork();
  const open = await em.find(
    MessageEntity,
    { role: 'assistant', status: { $in: ['PENDING', 'RUNNING', 'WAITING'] }, expiresAt: { $gt: new Date() } },
    { fields: ['pid', 'traceId', 'conversationPid'], orderBy: { id: 'asc' } },
  );
  const wanted = { pid: { $in: [...new Set(open.map(({ conversationPid }) => conversationPid))] } };
  const found = await em.find(ConversationEntity, wanted, { fields: ['pid', 'tenantId', 'environment'] });
  const conversations = new Map(found.map((conversation) => [conversation.pid, conversation]));
  for (const reply of open) {
    const conversation = conversations.get(reply.conversationPid);
    if (conversation) await starter.start(conversation, reply);
  }
}
