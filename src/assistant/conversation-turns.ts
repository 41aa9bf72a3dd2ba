import { newPid } from '../database/pid.ts';
import type { PlatformEntityManager } from '../database/orm.ts';
import { ApplicationError, conflict } from '../errors/application-error.ts';
import { toStoredError } from '../errors/failure.ts';
import { ConfirmationEntity, MessageEntity, type Conversation, type Message } from './conversation.entity.ts';
import { isOver } from './reply-events.ts';

/** An accepted answer that no worker has taken up after this long never had a workflow. */
const START_LIMIT_MS = 60_000;

/** A message, and the answer that is to be made to it. */
export interface Exchange {
  readonly asked: Message;
  readonly reply: Message;
}

/** Writes a message and its answer-to-be, in the caller's transaction, which holds the conversation. */
export function addExchange(
  em: PlatformEntityManager,
  conversation: Conversation,
  { text, sender = null, dedupeKey = null }: { text: string; sender?: string | null; dedupeKey?: string | null },
  traceId: string,
): Exchange {
  const common = { conversationPid: conversation.pid, steps: [], traceId, createdAt: new Date() };
  const asked = { role: 'user', sender, dedupeKey, text, status: 'COMPLETED', finishedAt: new Date() } as const;
  const reply = { role: 'assistant', text: '', status: 'PENDING', expiresAt: deadline(START_LIMIT_MS) } as const;
  conversation.updatedAt = new Date();
  return {
    asked: em.create(MessageEntity, { pid: newPid(), ...common, ...asked }),
    reply: em.create(MessageEntity, { pid: newPid(), ...common, ...reply }),
  };
}

/** Whose turn it is; null: nobody's. An answer that was lost with its worker and its workflow gives its turn up. */
export async function turnOf(em: PlatformEntityManager, conversation: Conversation): Promise<Message | null> {
  if (conversation.activeMessagePid === null) return null;
  const active = await em.findOne(MessageEntity, { pid: conversation.activeMessagePid });
  if (!active || isOver(active)) return null;
  if (!active.expiresAt || active.expiresAt > new Date()) return active;
  const message = 'The answer was interrupted and could not be finished';
  active.status = 'FAILED';
  active.error = toStoredError(new ApplicationError('SERVICE_UNAVAILABLE', { message }));
  active.finishedAt = new Date();
  return null;
}

/** One answer at a time. @throws CONFLICT (IN_PROGRESS), with the confirmation that is waited for, where it is that */
export async function requireNoTurn(em: PlatformEntityManager, conversation: Conversation): Promise<void> {
  const active = await turnOf(em, conversation);
  if (!active) return;
  const open = await em.findOne(ConfirmationEntity, { messagePid: active.pid, status: 'OPEN' });
  const message = open
    ? 'The conversation waits for a command to be confirmed or declined'
    : 'The conversation is being answered';
  throw conflict('IN_PROGRESS', message, open ? { confirmationId: open.pid } : {});
}

export function deadline(ms: number): Date {
  return new Date(Date.now() + ms);
}
