import { LockMode } from '@mikro-orm/core';
import { newPid } from '../../../foundation/database/pid.ts';
import { columnList, type RowOf } from '../../../foundation/database/columns.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { ApplicationError, conflict } from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import {
  ConfirmationEntity,
  ConversationEntity,
  MessageEntity,
  type Conversation,
  type Message,
} from './conversation.entity.ts';
import { START_LIMIT_MS, TITLE_LENGTH } from '../assistant.limits.ts';
import { hasEnded } from './reply-events.ts';

const CHANNEL_CONVERSATION = [
  'environment',
  'tenantId',
  'assistantCode',
  'userPid',
  'channel',
  'externalId',
  'title',
] as const;
type ChannelConversation = Pick<RowOf<typeof ConversationEntity>, (typeof CHANNEL_CONVERSATION)[number]>;

/**
 * Finds or creates a channel's conversation, locked until the transaction ends: its messages arrive in
 * sequence.
 */
export async function lockChannelConversation(
  em: PlatformEntityManager,
  conversation: ChannelConversation,
): Promise<Conversation> {
  await sqlRunnerOf(em).query(
    `insert into platform.ai_conversation (pid, ${columnList(CHANNEL_CONVERSATION)})
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (environment, tenant_id, channel, external_id) where channel is not null do update set user_pid = excluded.user_pid`,
    [newPid(), ...CHANNEL_CONVERSATION.map((property) => conversation[property])],
  );
  const { environment, tenantId, channel, externalId } = conversation;
  const where = { environment, tenantId, channel, externalId };
  return em.findOneOrFail(ConversationEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/**
 * Writes a message and the reply to be made, in the caller's transaction, which has locked the conversation.
 */
export function addExchange(
  em: PlatformEntityManager,
  conversation: Conversation,
  { text, sender = null, dedupeKey = null }: { text: string; sender?: string | null; dedupeKey?: string | null },
  traceId: string,
): Message {
  const common = { conversationPid: conversation.pid, toolLog: [], traceId, createdAt: new Date() };
  const question = { role: 'user', sender, dedupeKey, text, status: 'COMPLETED', finishedAt: new Date() } as const;
  const reply = { role: 'assistant', text: '', status: 'PENDING', expiresAt: deadline(START_LIMIT_MS) } as const;
  conversation.updatedAt = new Date();
  em.create(MessageEntity, { pid: newPid(), ...common, ...question });
  return em.create(MessageEntity, { pid: newPid(), ...common, ...reply });
}

/**
 * The reply in progress, or null. A reply that is past its deadline has lost its worker and its workflow: it
 * fails here.
 */
export async function activeReplyOf(em: PlatformEntityManager, conversation: Conversation): Promise<Message | null> {
  if (conversation.activeMessagePid === null) return null;
  const active = await em.findOne(MessageEntity, { pid: conversation.activeMessagePid });
  if (!active || hasEnded(active)) return null;
  if (!active.expiresAt || active.expiresAt > new Date()) return active;
  active.status = 'FAILED';
  active.error = toStoredError(replyInterrupted());
  active.finishedAt = new Date();
  return null;
}

/** Allows one reply at a time. @throws CONFLICT (IN_PROGRESS) with the open confirmation, if there is one */
export async function requireIdle(em: PlatformEntityManager, conversation: Conversation): Promise<void> {
  const active = await activeReplyOf(em, conversation);
  if (!active) return;
  const open = await em.findOne(ConfirmationEntity, { messagePid: active.pid, status: 'OPEN' });
  const message = open
    ? 'The conversation waits for a command to be confirmed or declined'
    : 'The conversation is being answered';
  throw conflict('IN_PROGRESS', message, open ? { confirmationId: open.pid } : {});
}

export function replyInterrupted(): ApplicationError {
  const message = 'The answer was interrupted and could not be finished';
  return new ApplicationError('SERVICE_UNAVAILABLE', { message });
}

/** A conversation is titled by its first message. */
export function titleOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, TITLE_LENGTH);
}

export function deadline(ms: number): Date {
  return new Date(Date.now() + ms);
}
