import { hasEnded, announceReply } from '../conversations/reply-events.ts';
import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { StoredError } from '../../../foundation/errors/failure.ts';
import type { StreamWriter } from '../../../platform/streams/stream-writer.ts';
import {
  CONFIRMATION_LIMIT_MS,
  CONFIRMATION_MARGIN_MS,
  GENERATION_LIMIT_MS,
  MAX_REMEMBERED_MESSAGES,
  QUEUE_POLL_MS,
} from '../assistant.limits.ts';
import {
  ConfirmationEntity,
  ConversationEntity,
  MessageEntity,
  type Confirmation,
  type Conversation,
  type Message,
  type MessageStatus,
} from '../conversations/conversation.entity.ts';
import { activeReplyOf, deadline } from '../conversations/exchange.ts';
import type { Proposal } from '../tools/tool-kind.ts';
import type { ToolLogEntry } from '../tools/tool-call.ts';

/** Another worker has taken over the reply, or it was deleted: this worker stops silently. */
export class Superseded extends Error {}

/** Takes part in the transaction that ends a reply. */
export interface ReplyEndListener {
  /** @returns what to do after the commit */
  replyEnded(em: PlatformEntityManager, conversation: Conversation, reply: Message): Promise<AfterCommit | null>;
}

type AfterCommit = () => Promise<void>;

/** A reply that this worker makes. */
export interface StartedReply {
  readonly kind: 'started';
  readonly conversation: Conversation;
  readonly reply: Message;
  /** The confirmations of its commands so far. */
  readonly confirmations: readonly Confirmation[];
  /** Earlier messages, oldest first. The last one is the message to reply to. */
  readonly history: readonly Message[];
}

export type StartOutcome =
  | StartedReply
  | { readonly kind: 'deleted' }
  | { readonly kind: 'ended'; readonly conversation: Conversation; readonly reply: Message }
  | { readonly kind: 'waiting'; readonly status: MessageStatus; readonly waitMs: number };

/** Reads and writes the rows of replies for the workers that make them. */
export class ReplyStore {
  readonly #orm: PlatformOrm;
  readonly #listener: ReplyEndListener;

  constructor(orm: PlatformOrm, listener: ReplyEndListener) {
    this.#orm = orm;
    this.#listener = listener;
  }

  /**
   * Starts or resumes a reply, unless it has ended, waits for its user, or is not next in its conversation.
   */
  start(messagePid: string): Promise<StartOutcome> {
    return this.#orm.em.fork().transactional(async (em): Promise<StartOutcome> => {
      const known = await em.findOne(MessageEntity, { pid: messagePid });
      const where = { pid: known?.conversationPid ?? '' };
      const conversation = await em.findOne(ConversationEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const reply = conversation && (await em.findOne(MessageEntity, { pid: messagePid }, { refresh: true }));
      if (!reply) return { kind: 'deleted' };
      if (hasEnded(reply)) return { kind: 'ended', conversation, reply };
      if (!(await activate(em, conversation, reply))) {
        // Its workflow is alive.
        reply.expiresAt = deadline(GENERATION_LIMIT_MS);
        return { kind: 'waiting', status: reply.status, waitMs: QUEUE_POLL_MS };
      }
      const confirmations = await em.find(ConfirmationEntity, { messagePid });
      const waitMs = reply.stopRequested ? 0 : expire(confirmations);
      if (waitMs > 0) return { kind: 'waiting', status: 'WAITING', waitMs };
      reply.status = 'RUNNING';
      reply.attempt = (reply.attempt ?? 0) + 1;
      reply.expiresAt = deadline(GENERATION_LIMIT_MS);
      const earlier = { conversationPid: conversation.pid, id: { $lt: reply.id } };
      const newest = { orderBy: { id: 'desc' }, limit: MAX_REMEMBERED_MESSAGES } as const;
      const history = await em.find(MessageEntity, earlier, newest);
      return { kind: 'started', conversation, reply, confirmations, history: history.reverse() };
    });
  }

  /** Announces a reply that had to wait for earlier ones. @throws SERVICE_UNAVAILABLE */
  async announce(streams: StreamWriter, { conversation, reply }: StartedReply): Promise<void> {
    if (!reply.streamId) await announceReply(this.#orm, streams, conversation, reply);
  }

  /** @throws Superseded */
  async isStopRequested({ pid, attempt }: Message): Promise<boolean> {
    const now = await this.#orm.em.fork().findOne(MessageEntity, { pid });
    if (!now || now.attempt !== attempt || hasEnded(now)) throw new Superseded();
    return now.stopRequested ?? false;
  }

  /** @throws Superseded */
  async saveToolLog(reply: Message, toolLog: readonly ToolLogEntry[]): Promise<void> {
    await this.#update(reply, { toolLog: [...toolLog] });
  }

  /** Asks for the confirmation of a command, once per call. */
  async requestConfirmation(
    reply: Message,
    callId: string,
    { commandCode, body, summary }: Proposal,
  ): Promise<Confirmation> {
    return this.#orm.em.fork().transactional(async (em) => {
      const known = await em.findOne(ConfirmationEntity, { messagePid: reply.pid, callId });
      if (known) return known;
      return em.create(ConfirmationEntity, {
        pid: newPid(),
        messagePid: reply.pid,
        callId,
        commandCode,
        request: body,
        summary,
        status: 'OPEN',
        expiresAt: deadline(CONFIRMATION_LIMIT_MS),
      });
    });
  }

  /** @throws Superseded */
  async markWaiting(reply: Message): Promise<void> {
    const expiresAt = deadline(CONFIRMATION_LIMIT_MS + CONFIRMATION_MARGIN_MS);
    await this.#update(reply, { status: 'WAITING', expiresAt });
  }

  /**
   * Ends a reply.
   * @param attempt the attempt that this worker made; null ends any attempt
   * @returns the row as it is then; null if there is no such reply
   * @throws Superseded
   */
  end(
    messagePid: string,
    attempt: number | null,
    { status, text, error = null }: { status: MessageStatus; text?: string; error?: StoredError | null },
  ): Promise<{ conversation: Conversation; reply: Message; afterCommit: AfterCommit | null } | null> {
    return this.#orm.em.fork().transactional(async (em) => {
      const reply = await em.findOne(MessageEntity, { pid: messagePid }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const conversation = reply && (await em.findOne(ConversationEntity, { pid: reply.conversationPid }));
      if (!conversation) return null;
      if (attempt !== null && reply.attempt !== attempt) throw new Superseded();
      if (hasEnded(reply)) return { conversation, reply, afterCommit: null };
      Object.assign(reply, { status, error, finishedAt: new Date(), ...(text !== undefined && { text }) });
      conversation.updatedAt = new Date();
      return { conversation, reply, afterCommit: await this.#listener.replyEnded(em, conversation, reply) };
    });
  }

  async #update(
    { pid, attempt }: Message,
    values: Partial<Pick<Message, 'toolLog' | 'status' | 'expiresAt'>>,
  ): Promise<void> {
    const updated = await this.#orm.em.fork().nativeUpdate(MessageEntity, { pid, attempt }, values);
    if (updated === 0) throw new Superseded();
  }
}

/**
 * Makes a reply the conversation's active one, if it is next. Replies queue in channels only: in users' own
 * conversations a second message is refused.
 */
async function activate(em: PlatformEntityManager, conversation: Conversation, reply: Message): Promise<boolean> {
  if (conversation.activeMessagePid === reply.pid) return true;
  if (await activeReplyOf(em, conversation)) return false;
  const older = await em.count(MessageEntity, {
    conversationPid: conversation.pid,
    role: 'assistant',
    status: 'PENDING',
    id: { $lt: reply.id },
    expiresAt: { $gt: new Date() },
  });
  if (older > 0) return false;
  conversation.activeMessagePid = reply.pid;
  return true;
}

/**
 * Expires confirmations that are past their limit. @returns the milliseconds until the last open one expires
 */
function expire(confirmations: readonly Confirmation[]): number {
  const open = confirmations.filter(({ status }) => status === 'OPEN');
  for (const one of open) if (one.expiresAt <= new Date()) one.status = 'EXPIRED';
  return Math.max(0, ...open.map(({ expiresAt }) => expiresAt.getTime() - Date.now()));
}
