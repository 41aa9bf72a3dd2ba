import { localized } from '../../../foundation/i18n/text.ts';
import type { Confirmation, Conversation, Message } from './conversation.entity.ts';
import type { Transcript } from './conversations.service.ts';
import { publicId } from './reply-events.ts';

export function presentConversation(conversation: Conversation) {
  const { assistantCode: assistant, title, channel, createdAt, updatedAt } = conversation;
  return {
    conversationId: publicId(conversation),
    assistant,
    title,
    ...(channel && { channel }),
    createdAt,
    updatedAt,
  };
}

/**
 * A conversation with its messages, oldest first. Replies have the tools they used and their confirmations.
 */
export function presentTranscript({ conversation, messages, confirmations }: Transcript) {
  const shown = messages.map((message) => presentMessage(message, confirmations));
  return { ...presentConversation(conversation), messages: shown };
}

function presentMessage(
  { pid, role, sender, text, status, error, steps, createdAt, finishedAt }: Message,
  all: readonly Confirmation[],
) {
  const base = { messageId: pid, role, ...(sender && { sender }), text, createdAt };
  if (role === 'user') return base;
  const tools = steps.flatMap((step) => (step.kind === 'calls' ? step.calls.map(({ name }) => name) : []));
  const confirmations = all
    .filter(({ messagePid }) => messagePid === pid)
    .map(({ pid: confirmationId, commandCode, summary, status: state }) => ({
      confirmationId,
      commandCode,
      summary,
      status: state,
    }));
  const outcome = error && { code: error.code, message: localized(error.message) };
  return { ...base, status, error: outcome ?? null, tools, confirmations, finishedAt: finishedAt ?? null };
}
