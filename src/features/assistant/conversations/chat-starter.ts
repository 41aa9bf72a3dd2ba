import { WorkflowNotFoundError } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import { CHAT, CHAT_CHANGED, chatWorkflowId, type ChatInput } from '../../../../workflows/contracts.ts';
import type { Conversation, Message } from './conversation.entity.ts';

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
