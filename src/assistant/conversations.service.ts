import { LockMode } from '@mikro-orm/core';
import type { Actor } from '../auth/actor.ts';
import { newPid } from '../database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../database/orm.ts';
import { ApplicationError, conflict, notFound } from '../errors/application-error.ts';
import { toStoredError } from '../errors/failure.ts';
import type { StreamWriter } from '../streams/stream-writer.ts';
import type { ChatStarter } from './chat-starter.ts';
import { addExchange, requireNoTurn } from './conversation-turns.ts';
import {
  ConfirmationEntity,
  ConversationEntity,
  MessageEntity,
  type Confirmation,
  type Conversation,
  type Message,
} from './conversation.entity.ts';
import { announce } from './reply-announcement.ts';
import { beginning, conversationKey, ending, isOver } from './reply-events.ts';

const TITLE_LENGTH = 80;

/** What a conversation holds. */
export interface Transcript {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  readonly confirmations: readonly Confirmation[];
}

/** Users' conversations with assistants: what they say, confirm, stop, and read again. Answers are made by workers. */
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
   * Takes a message and has its answer made.
   * @param conversationPid null: a new conversation
   * @returns the conversation, and the answer that is being made
   * @throws NOT_FOUND; CONFLICT (IN_PROGRESS); SERVICE_UNAVAILABLE with nothing done
   */
  async say(
    actor: Actor,
    assistantCode: string,
    conversationPid: string | null,
    text: string,
    traceId: string,
  ): Promise<{ conversation: Conversation; reply: Message }> {
    const { conversation, reply } = await this.#orm.em.fork().transactional(async (em) => {
      const held = conversationPid
        ? await this.#lock(em, actor, conversationPid, assistantCode)
        : newConversation(em, actor, assistantCode, text);
      // Before its messages, which refer to it.
      await em.flush();
      await requireNoTurn(em, held);
      const exchange = addExchange(em, held, { text }, traceId);
      held.activeMessagePid = exchange.reply.pid;
      await em.flush();
      return { conversation: held, reply: exchange.reply };
    });
    await this.begin(conversation, reply);
    return { conversation, reply };
  }

  /**
   * Announces an answer in its conversation's stream and starts its workflow; doing it again changes nothing.
   * @throws SERVICE_UNAVAILABLE with nothing done
   */
  async begin(conversation: Conversation, reply: Message): Promise<void> {
    try {
      await announce(this.#orm, this.#streams, conversation, reply);
      await this.#starter.start(conversation, reply);
    } catch (error) {
      await this.#withdraw(reply);
      throw error;
    }
  }

  /** Starts the workflow of an answer that has to wait for its turn; its worker announces it. @throws SERVICE_UNAVAILABLE with nothing done */
  async queue(conversation: Conversation, reply: Message): Promise<void> {
    try {
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
    const messages = await em.find(MessageEntity, { conversationPid }, { orderBy: { id: 'asc' } });
    const confirmations = await em.find(ConfirmationEntity, { messagePid: messages.map(({ pid }) => pid) });
    return { conversation, messages, confirmations };
  }

  /** The newest answer of a conversation that has begun. */
  async newestReply(conversationPid: string): Promise<Message | null> {
    const where = { conversationPid, role: 'assistant', streamId: { $ne: null } } as const;
    return this.#orm.em.fork().findOne(MessageEntity, where, { orderBy: { id: 'desc' } });
  }

  /**
   * Puts an answer back into its conversation's stream that has expired, or whose end nobody lived to say: whoever re-attaches
   * gets it from the row. @throws SERVICE_UNAVAILABLE
   */
  async restore(conversation: Conversation, reply: Message | null): Promise<void> {
    if (!reply || !isOver(reply)) return;
    const events = [beginning(conversation, reply), ending(conversation, reply)];
    const [streamId] = await this.#streams.append(conversationKey(conversation.pid), ...events);
    if (!streamId) return;
    await this.#orm.em.fork().nativeUpdate(MessageEntity, { pid: reply.pid }, { streamId });
    reply.streamId = streamId;
  }

  /** Deletes a conversation with everything in it. An answer in the making ends without one. @throws NOT_FOUND */
  async delete(actor: Actor, conversationPid: string): Promise<void> {
    await this.find(actor, conversationPid);
    await this.#orm.em.fork().nativeDelete(ConversationEntity, { pid: conversationPid });
    await this.#streams.forget(conversationKey(conversationPid));
  }

  /** Agrees to a command or declines it; saying the same again changes nothing. @throws NOT_FOUND; CONFLICT (STATE) */
  async decide(actor: Actor, conversationPid: string, confirmationPid: string, agrees: boolean): Promise<Confirmation> {
    await this.find(actor, conversationPid);
    const decided = await this.#orm.em.fork().transactional(async (em) => {
      const found = await em.findOne(
        ConfirmationEntity,
        { pid: confirmationPid },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      const message = found && (await em.findOne(MessageEntity, { pid: found.messagePid, conversationPid }));
      if (!found || !message) throw notFound('There is no such confirmation');
      const status = agrees ? 'CONFIRMED' : 'DECLINED';
      if (found.status === status) return found;
      if (found.status !== 'OPEN' || found.expiresAt < new Date() || isOver(message)) {
        throw conflict('STATE', `It is ${found.status === 'OPEN' ? 'EXPIRED' : found.status} already`);
      }
      found.status = status;
      found.decidedAt = new Date();
      return found;
    });
    await this.#starter.tell(decided.messagePid);
    return decided;
  }

  /** Stops the answer that is being made; what it has said so far stays. @throws NOT_FOUND; CONFLICT (STATE) when there is none */
  async stop(actor: Actor, conversationPid: string): Promise<void> {
    const { activeMessagePid: pid = null } = await this.find(actor, conversationPid);
    const running = { pid: pid ?? '', status: { $in: ['PENDING', 'RUNNING', 'WAITING'] } } as const;
    const stopped = await this.#orm.em.fork().nativeUpdate(MessageEntity, running, { stopRequested: true });
    if (stopped === 0) throw conflict('STATE', 'No answer is being made');
    await this.#starter.tell(running.pid);
  }

  async #lock(em: PlatformEntityManager, actor: Actor, pid: string, assistantCode: string): Promise<Conversation> {
    const where = { pid, assistantCode, ...ownOf(actor) };
    const found = await em.findOne(ConversationEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!found) throw missing();
    return found;
  }

  /** Should the workflow have started after all, it finds that there is nothing to do. */
  async #withdraw({ pid }: Message): Promise<void> {
    const error = toStoredError(new ApplicationError('SERVICE_UNAVAILABLE', { message: 'The answer was never begun' }));
    const end = { status: 'FAILED', error, finishedAt: new Date() } as const;
    await this.#orm.em.fork().nativeUpdate(MessageEntity, { pid, status: 'PENDING' }, end);
  }
}

function newConversation(em: PlatformEntityManager, actor: Actor, assistantCode: string, text: string): Conversation {
  const title = text.replace(/\s+/g, ' ').trim().slice(0, TITLE_LENGTH);
  return em.create(ConversationEntity, { pid: newPid(), ...ownOf(actor), assistantCode, title, updatedAt: new Date() });
}

/** Those a user may see: their own, in the tenant and the environment of the request. */
function ownOf({ metadata, tenantId, userPid }: Actor) {
  return { environment: metadata.environment, tenantId, userPid, channel: null };
}

function missing(): ApplicationError {
  return notFound('There is no such conversation');
}
