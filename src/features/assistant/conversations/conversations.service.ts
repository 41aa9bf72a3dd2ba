import { boundedRead } from '../../../foundation/database/entity-reads.ts';
import { conversationKey, endEvent, hasEnded, startEvent, announceReply } from './reply-events.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { LockMode } from '@mikro-orm/core';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { ApplicationError, conflict, notFound } from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';
import { type StreamWriter, streamedRetention } from '../../../platform/streams/stream-writer.ts';
import type { ChatStarter } from './chat-starter.ts';
import { addExchange, requireIdle, titleOf } from './exchange.ts';
import {
  ConfirmationEntity,
  ConversationEntity,
  MessageEntity,
  type Confirmation,
  type Conversation,
  type Message,
} from './conversation.entity.ts';
import { RETENTION_BATCH } from '../assistant.limits.ts';

/** Deletes conversations without a recent message, with their messages. @param days 0 keeps them for ever */
export function conversationRetention(
  orm: PlatformOrm,
  streams: StreamWriter,
  days: number,
  batch = RETENTION_BATCH,
): Retention {
  const tables = ['ai_conversation', 'ai_message', 'ai_confirmation'];
  return streamedRetention({ orm, streams, days }, tables, async (sql) => {
    // A conversation that is being continued is locked, and recent afterwards.
    const gone = await sql.query<{ pid: string }>(
      `with old as (
         select c.pid, c.updated_at, (select count(*) from platform.ai_message m where m.conversation_pid = c.pid) as messages
         from platform.ai_conversation c
         where c.updated_at < now() - $1 * interval '1 day'
           and not exists (select 1 from platform.ai_message m where m.conversation_pid = c.pid
             and m.status in ('PENDING', 'RUNNING', 'WAITING') and m.expires_at > now())
         order by c.updated_at limit $2 for update of c skip locked),
       counted as (select pid, sum(messages) over (order by updated_at, pid) - messages as before from old)
       delete from platform.ai_conversation where pid in (select pid from counted where before < $3) returning pid`,
      [days, batch.conversations, batch.messages],
    );
    return gone.map(({ pid }) => conversationKey(pid));
  });
}

export interface Transcript {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  readonly confirmations: readonly Confirmation[];
}

/** Users' conversations with assistants. Workers make the replies. */
export class ConversationsService {
  readonly #orm: PlatformOrm;
  readonly #streams: StreamWriter;
  readonly #starter: ChatStarter;

  constructor(orm: PlatformOrm, streams: StreamWriter, starter: ChatStarter) {
    this.#orm = orm;
    this.#streams = streams;
    this.#starter = starter;
  }

  /**
   * Accepts a message and starts its reply.
   * @param conversationPid null for a new conversation
   * @throws NOT_FOUND; CONFLICT (IN_PROGRESS); SERVICE_UNAVAILABLE with nothing done
   */
  async send(
    actor: Actor,
    assistantCode: string,
    conversationPid: string | null,
    text: string,
    traceId: string,
  ): Promise<{ conversation: Conversation; reply: Message }> {
    const { conversation, reply } = await this.#orm.em.fork().transactional(async (em) => {
      const locked = conversationPid
        ? await this.#lock(em, actor, conversationPid, assistantCode)
        : newConversation(em, actor, assistantCode, text);
      // Its messages refer to it.
      await em.flush();
      await requireIdle(em, locked);
      const added = addExchange(em, locked, { text }, traceId);
      locked.activeMessagePid = added.pid;
      await em.flush();
      return { conversation: locked, reply: added };
    });
    await this.startReply(conversation, reply, true);
    return { conversation, reply };
  }

  /**
   * Starts the workflow of a reply. Repeating it changes nothing.
   * @param isActive whether the conversation's stream announces it now; otherwise its worker does, after
   *   earlier replies
   * @throws SERVICE_UNAVAILABLE with nothing done
   */
  async startReply(conversation: Conversation, reply: Message, isActive: boolean): Promise<void> {
    try {
      if (isActive) await announceReply(this.#orm, this.#streams, conversation, reply);
      await this.#starter.start(conversation, reply);
    } catch (error) {
      await this.#withdraw(reply);
      throw error;
    }
  }

  /** @throws NOT_FOUND for a conversation of another user, tenant or environment */
  async find(actor: Actor, conversationPid: string, assistantCode?: string): Promise<Conversation> {
    const found = await this.#orm.em.fork().findOne(ConversationEntity, { pid: conversationPid, ...ownOf(actor) });
    if (!found || (assistantCode !== undefined && found.assistantCode !== assistantCode)) throw missing();
    return found;
  }

  async list(actor: Actor, pageNum: number, pageSize: number): Promise<[Conversation[], number]> {
    return this.#orm.em.fork().findAndCount(ConversationEntity, ownOf(actor), {
      orderBy: { updatedAt: 'desc', id: 'desc' },
      limit: pageSize,
      offset: (pageNum - 1) * pageSize,
    });
  }

  /** @throws NOT_FOUND */
  async read(actor: Actor, conversationPid: string): Promise<Transcript> {
    const conversation = await this.find(actor, conversationPid);
    const em = this.#orm.em.fork();
    const messages = await boundedRead(() => em.find(MessageEntity, { conversationPid }, { orderBy: { id: 'asc' } }));
    const confirmations = await em.find(ConfirmationEntity, { messagePid: messages.map(({ pid }) => pid) });
    return { conversation, messages, confirmations };
  }

  /**
   * Finds the newest announced reply. If it has ended, its events are written to the stream again: the stream
   * may have expired, or the worker may have died before the last event.
   * @throws SERVICE_UNAVAILABLE
   */
  async restoreNewestReply(conversation: Conversation): Promise<Message | null> {
    const em = this.#orm.em.fork();
    const where = { conversationPid: conversation.pid, role: 'assistant', streamId: { $ne: null } } as const;
    const reply = await em.findOne(MessageEntity, where, { orderBy: { id: 'desc' } });
    if (!reply || !hasEnded(reply)) return reply;
    const events = [startEvent(conversation, reply), endEvent(conversation, reply)];
    const [streamId] = await this.#streams.append(conversationKey(conversation.pid), ...events);
    if (streamId) {
      await em.nativeUpdate(MessageEntity, { pid: reply.pid }, { streamId });
      reply.streamId = streamId;
    }
    return reply;
  }

  /** Deletes a conversation with its messages. The worker of a reply in progress stops. @throws NOT_FOUND */
  async delete(actor: Actor, conversationPid: string): Promise<void> {
    await this.find(actor, conversationPid);
    await this.#orm.em.fork().nativeDelete(ConversationEntity, { pid: conversationPid });
    await this.#streams.forget(conversationKey(conversationPid));
  }

  /**
   * Confirms or declines a command. Repeating a decision changes nothing. @throws NOT_FOUND; CONFLICT (STATE)
   */
  async decide(
    actor: Actor,
    conversationPid: string,
    confirmationPid: string,
    isConfirmed: boolean,
  ): Promise<Confirmation> {
    await this.find(actor, conversationPid);
    const decided = await this.#orm.em.fork().transactional(async (em) => {
      const found = await em.findOne(
        ConfirmationEntity,
        { pid: confirmationPid },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      const message = found && (await em.findOne(MessageEntity, { pid: found.messagePid, conversationPid }));
      if (!found || !message) throw notFound('There is no such confirmation');
      const status = isConfirmed ? 'CONFIRMED' : 'DECLINED';
      if (found.status === status) return found;
      if (found.status !== 'OPEN' || found.expiresAt < new Date() || hasEnded(message)) {
        const status = found.status === 'OPEN' ? 'EXPIRED' : found.status;
        throw conflict('STATE', text('It is {status} already', { status }));
      }
      found.status = status;
      found.decidedAt = new Date();
      return found;
    });
    await this.#starter.signalChange(decided.messagePid);
    return decided;
  }

  /**
   * Stops the reply in progress and keeps its text so far. @throws NOT_FOUND; CONFLICT (STATE) if there is
   * none
   */
  async stop(actor: Actor, conversationPid: string): Promise<void> {
    const { activeMessagePid: pid = null } = await this.find(actor, conversationPid);
    const running = { pid: pid ?? '', status: { $in: ['PENDING', 'RUNNING', 'WAITING'] } } as const;
    const stopped = await this.#orm.em.fork().nativeUpdate(MessageEntity, running, { stopRequested: true });
    if (stopped === 0) throw conflict('STATE', 'No answer is being made');
    await this.#starter.signalChange(running.pid);
  }

  async #lock(em: PlatformEntityManager, actor: Actor, pid: string, assistantCode: string): Promise<Conversation> {
    const where = { pid, assistantCode, ...ownOf(actor) };
    const found = await em.findOne(ConversationEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!found) throw missing();
    return found;
  }

  /** Fails a reply that was not started. If its workflow has started after all, it finds nothing to do. */
  async #withdraw({ pid }: Message): Promise<void> {
    const error = toStoredError(new ApplicationError('SERVICE_UNAVAILABLE', { message: 'The answer was never begun' }));
    const end = { status: 'FAILED', error, finishedAt: new Date() } as const;
    await this.#orm.em.fork().nativeUpdate(MessageEntity, { pid, status: 'PENDING' }, end);
  }
}

function newConversation(em: PlatformEntityManager, actor: Actor, assistantCode: string, text: string): Conversation {
  return em.create(ConversationEntity, {
    pid: newPid(),
    ...ownOf(actor),
    assistantCode,
    title: titleOf(text),
    updatedAt: new Date(),
  });
}

/** Selects the user's own conversations in the tenant and environment of the request. */
function ownOf({ metadata, tenantId, userPid }: Actor) {
  return { environment: metadata.environment, tenantId, userPid, channel: null };
}

function missing(): ApplicationError {
  return notFound('There is no such conversation');
}
