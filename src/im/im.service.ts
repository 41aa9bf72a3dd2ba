import { LockMode } from '@mikro-orm/core';
import type { IncomingHttpHeaders } from 'node:http';
import { addExchange, turnOf } from '../assistant/conversation-turns.ts';
import {
  ConversationEntity,
  MessageEntity,
  type Conversation,
  type Message,
} from '../assistant/conversation.entity.ts';
import type { ConversationsService } from '../assistant/conversations.service.ts';
import { isActiveTenant } from '../auth/active-tenant.ts';
import type { Actor } from '../auth/actor.ts';
import type { RateLimits, HeaderTarget } from '../auth/rate-limits.ts';
import { sqlRunnerOf, type PlatformEntityManager, type PlatformOrm } from '../database/orm.ts';
import { newPid } from '../database/pid.ts';
import { ApplicationError, notFound, tenantSuspended } from '../errors/application-error.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import type { ChannelBinding } from './channel-binding.entity.ts';
import type { ChannelBindings } from './channel-bindings.service.ts';
import { readInbound, type Inbound } from './inbound-message.ts';
import { isSigned } from './signatures.ts';

/** A request to a channel, before anything of it is believed. */
export interface Arrived {
  readonly environment: string;
  readonly channelCode: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly address: string | undefined;
  /** Where the limits' headers go. */
  readonly target: HeaderTarget;
  readonly traceId: string;
}

/** What a channel is answered: that its message was taken, or what Slack wants to hear. */
export type Taken =
  | { readonly kind: 'taken'; readonly conversationId: string; readonly replyPid: string }
  | { readonly kind: 'challenge'; readonly challenge: string }
  | { readonly kind: 'ignored' };

const TITLE_LENGTH = 80;

/** Takes messages from channels and has their assistants answer them. */
export class InstantMessages {
  readonly #orm: PlatformOrm;
  readonly #snapshots: SnapshotCache;
  readonly #bindings: ChannelBindings;
  readonly #conversations: ConversationsService;
  readonly #limits: RateLimits;

  constructor(
    orm: PlatformOrm,
    snapshots: SnapshotCache,
    bindings: ChannelBindings,
    conversations: ConversationsService,
    limits: RateLimits,
  ) {
    this.#orm = orm;
    this.#snapshots = snapshots;
    this.#bindings = bindings;
    this.#conversations = conversations;
    this.#limits = limits;
  }

  /** @throws NOT_FOUND, UNAUTHORIZED, TENANT_FORBIDDEN (SUSPENDED), RATE_LIMITED, VALIDATION_ERROR, SERVICE_UNAVAILABLE */
  async receive({ environment, channelCode, headers, body, address, target, traceId }: Arrived): Promise<Taken> {
    const channel = (await this.#snapshots.current(environment)).imChannels.get(channelCode);
    const binding = channel && (await this.#bindings.find(environment, channelCode));
    if (!channel || !binding) throw notFound('There is no such channel');
    if (!isSigned(channel.kind, headers, body, this.#bindings.secretOf(binding), new Date())) {
      // Guesses count, and to their sender: they must not use up the channel's budget.
      await this.#limits.admitClient('imRefused', address, target);
      throw new ApplicationError('UNAUTHORIZED', { message: 'The signature is wrong, or too old' });
    }
    await this.#limits.admitChannel(binding.pid, target);
    if (!(await isActiveTenant(this.#orm.em.fork(), binding.tenantId))) throw tenantSuspended();
    const reading = readInbound(channel.kind, body);
    if (reading.kind !== 'message') return reading;
    const { conversation, reply, hasTurn } = await this.#take(binding, channel.assistant, reading.message, traceId);
    if (reply.status === 'PENDING' && hasTurn) await this.#conversations.begin(conversation, reply);
    else if (reply.status === 'PENDING') await this.#conversations.queue(conversation, reply);
    return { kind: 'taken', conversationId: reading.message.conversationId, replyPid: reply.pid };
  }

  /**
   * The newest conversation with this id in the channels that the actor may read; `channel` picks one of them.
   * @throws NOT_FOUND
   */
  async find(actor: Actor, externalId: string, channel?: string): Promise<Conversation> {
    const { metadata, tenantId, permissions } = actor;
    const of = channel === undefined ? { $ne: null } : channel;
    const where = { environment: metadata.environment, tenantId, externalId, channel: of };
    const found = await this.#orm.em
      .fork()
      .find(ConversationEntity, where, { orderBy: { updatedAt: 'desc' }, limit: 20 });
    const readable = found.find((one) => permissions.has(permissionCode.imRead(one.channel ?? '')));
    if (!readable) throw notFound('There is no such conversation');
    return readable;
  }

  #take(binding: ChannelBinding, assistantCode: string, message: Inbound, traceId: string) {
    return this.#orm.em.fork().transactional(async (em): Promise<Accepted> => {
      const conversation = await lockConversation(em, binding, assistantCode, message);
      const known = await seenBefore(em, conversation, message);
      if (known) return { conversation, reply: known, hasTurn: conversation.activeMessagePid === known.pid };
      const { conversationPid, status } = { conversationPid: conversation.pid, status: 'PENDING' } as const;
      const isFree =
        !(await turnOf(em, conversation)) && (await em.count(MessageEntity, { conversationPid, status })) === 0;
      // The assistant may have been exchanged since.
      Object.assign(conversation, { assistantCode });
      const { reply } = addExchange(em, conversation, message, traceId);
      if (isFree) conversation.activeMessagePid = reply.pid;
      await em.flush();
      return { conversation, reply, hasTurn: isFree };
    });
  }
}

interface Accepted {
  readonly conversation: Conversation;
  readonly reply: Message;
  readonly hasTurn: boolean;
}

/** The conversation, new or not, held until the transaction ends: its messages arrive one after the other. */
async function lockConversation(
  em: PlatformEntityManager,
  { pid: bindingPid, environment, tenantId, channelCode: channel }: ChannelBinding,
  assistantCode: string,
  { conversationId, text }: Inbound,
): Promise<Conversation> {
  const title = text.replace(/\s+/g, ' ').trim().slice(0, TITLE_LENGTH);
  await sqlRunnerOf(em).query(
    `insert into platform.ai_conversation (pid, environment, tenant_id, assistant_code, user_pid, channel, external_id, title)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (environment, tenant_id, channel, external_id) where channel is not null do update set user_pid = excluded.user_pid`,
    [newPid(), environment, tenantId, assistantCode, bindingPid, channel, conversationId, title],
  );
  const where = { environment, tenantId, channel, externalId: conversationId };
  return em.findOneOrFail(ConversationEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** The answer to the same message, sent again. One that was never begun does not count. */
async function seenBefore(
  em: PlatformEntityManager,
  { pid: conversationPid }: Conversation,
  { dedupeKey, dedupeMs }: Inbound,
): Promise<Message | null> {
  const since = { createdAt: { $gt: new Date(Date.now() - dedupeMs) } };
  const asked = await em.findOne(MessageEntity, { conversationPid, dedupeKey, ...since }, { orderBy: { id: 'desc' } });
  if (!asked) return null;
  const after = { conversationPid, role: 'assistant', id: { $gt: asked.id } } as const;
  const reply = await em.findOne(MessageEntity, after, { orderBy: { id: 'asc' } });
  return reply?.status === 'FAILED' && reply.attempt === 0 ? null : reply;
}
