import { WorkflowNotFoundError } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import { CHAT, CHAT_CHANGED, chatWorkflowId, type ChatInput } from '../../../../workflows/contracts.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { ConversationEntity, MessageEntity, type Conversation, type Message } from './conversation.entity.ts';

/** Starts the workflow `chat:<messagePid>` of a reply, at most once ever, and signals changes to it. */
export class ChatStarter {
  readonly #temporal: TemporalGateway;

  constructor(temporal: TemporalGateway) {
    this.#temporal = temporal;
  }

  /** @throws SERVICE_UNAVAILABLE if Temporal does not answer: the workflow may or may not have started */
  async start(
    { tenantId, environment }: Pick<Conversation, 'tenantId' | 'environment'>,
    { pid, traceId }: Pick<Message, 'pid' | 'traceId'>,
  ): Promise<void> {
    const input: ChatInput = { messagePid: pid };
    await this.#temporal.start(CHAT, {
      workflowId: chatWorkflowId(pid),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      args: [input],
      memo: { traceId },
      attributes: { tenantId, environment },
    });
  }

  /** @throws SERVICE_UNAVAILABLE */
  async signalChange(messagePid: string): Promise<void> {
    try {
      await this.#temporal.signal(chatWorkflowId(messagePid), CHAT_CHANGED, null);
    } catch (error) {
      // The workflow has ended meanwhile.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}

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
