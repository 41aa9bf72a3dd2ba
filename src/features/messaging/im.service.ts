import type { IncomingHttpHeaders } from 'node:http';
import { activeReplyOf, addExchange, lockChannelConversation, titleOf } from '../assistant/conversations/exchange.ts';
import {
  ConversationEntity,
  MessageEntity,
  type Conversation,
  type Message,
} from '../assistant/conversations/conversation.entity.ts';
import type { ConversationsService } from '../assistant/conversations/conversations.service.ts';
import { isActiveTenant } from '../../platform/auth/accounts/tenant.entity.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { RateLimits, HeaderTarget } from '../../platform/auth/requests/rate-limits.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import { ApplicationError, conflict, notFound, tenantSuspended } from '../../foundation/errors/application-error.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { IM_CHANNEL, type ImChannelContent } from './channel-type.ts';
import { type ChannelBinding, ChannelBindingEntity } from './channel-binding.entity.ts';
import type { ChannelBindings } from './channel-bindings.service.ts';
import { parseInbound, type InboundMessage } from './inbound-message.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SLACK_WINDOW_SECONDS } from './messaging.limits.ts';
import type { ReplyEndListener } from '../assistant/replies/reply-store.ts';
import { CHANNEL_REPLY, codeOfReplyIn } from '../../platform/events/audience/channel-replies.ts';
import type { ChannelDestinations } from '../webhooks/channel-destinations.ts';

/** Sends a reply to its channel's URL as a webhook delivery, in the transaction that ends the reply. */
export function replyDelivery(snapshots: SnapshotCache, destinations: ChannelDestinations): ReplyEndListener {
  return {
    async replyEnded(em, conversation, reply) {
      const { channel, environment, tenantId } = conversation;
      if (!channel || reply.status !== 'COMPLETED') return null;
      const binding = await em.findOne(ChannelBindingEntity, { pid: conversation.userPid });
      const pid = binding?.replyUrl ? (binding.subscriptionPid ?? null) : null;
      if (pid === null) return null;
      const kind = (await snapshots.current(environment)).find(IM_CHANNEL, channel)?.kind ?? 'json';
      const body = JSON.stringify({
        commandCode: CHANNEL_REPLY,
        modelCode: null,
        payload: { channel, conversationId: conversation.externalId, replyPid: reply.pid },
        result: { text: reply.text },
      });
      return destinations.queue(em, pid, {
        event: { environment, tenantId, traceId: reply.traceId, commandCode: codeOfReplyIn(channel), body },
        sentBody: JSON.stringify(bodyFor(kind, conversation, reply)),
      });
    },
  };
}

/** The body of the delivery, in the form of the channel's kind. */
function bodyFor(kind: 'json' | 'slack', { externalId }: Conversation, { pid: replyPid, text }: Message): object {
  const conversationId = externalId ?? '';
  if (kind === 'json') return { conversationId, replyPid, text };
  const [channel, thread] = conversationId.split(':');
  return { channel, text, ...(thread !== undefined && { thread_ts: thread }) };
}

/** Checks the signature of a request. @param body the exact bytes */
function isSigned(
  kind: ImChannelContent['kind'],
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string,
  now: Date,
): boolean {
  return kind === 'slack' ? isSlackSigned(headers, body, secret, now) : isJsonSigned(headers, body, secret);
}

/** `X-IM-Signature: sha256=<hex HMAC of the body>`. */
function isJsonSigned(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return isSame(headers['x-im-signature'], expected);
}

/** Slack's `v0`: the timestamp is signed with the body, which prevents replays. */
function isSlackSigned(headers: IncomingHttpHeaders, body: Buffer, secret: string, now: Date): boolean {
  const timestamp = String(headers['x-slack-request-timestamp'] ?? '');
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > SLACK_WINDOW_SECONDS) return false;
  const signed = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
  return isSame(headers['x-slack-signature'], `v0=${signed}`);
}

function isSame(given: string | string[] | undefined, expected: string): boolean {
  const one = Buffer.from(String(given ?? ''));
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}

/** An unverified request to a channel. */
interface InboundRequest {
  readonly environment: string;
  readonly channelCode: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly address: string | undefined;
  /** Receives the headers of the rate limits. */
  readonly target: HeaderTarget;
  readonly traceId: string;
}

type InboundOutcome =
  | { readonly kind: 'accepted'; readonly conversationId: string; readonly replyPid: string }
  | { readonly kind: 'challenge'; readonly challenge: string }
  | { readonly kind: 'ignored' };

/** Receives messages from channels and starts the replies of their assistants. */
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

  /**
   * @throws NOT_FOUND, UNAUTHORIZED, CONFLICT (SECRET_UNREADABLE, OWNER_INACTIVE, OWNER_DEMOTED),
   *   TENANT_FORBIDDEN (SUSPENDED), RATE_LIMITED, VALIDATION_ERROR, SERVICE_UNAVAILABLE
   */
  async receive({
    environment,
    channelCode,
    headers,
    body,
    address,
    target,
    traceId,
  }: InboundRequest): Promise<InboundOutcome> {
    // Before anything is looked up: the signature can be checked only with the channel's secret.
    const takeBack = this.#limits.admitUnknownCredentials(address);
    const found = await this.#findChannel(environment, channelCode).catch((error: unknown) => {
      takeBack();
      throw error;
    });
    if (!found) throw notFound('There is no such channel');
    const { channel, binding } = found;
    const isKnown = isSigned(channel.kind, headers, body, this.#bindings.secretOf(binding), new Date());
    // Counts to the sender: a caller without the secret must not use up the channel's budget.
    if (!isKnown) throw new ApplicationError('UNAUTHORIZED', { message: 'The signature is wrong, or too old' });
    takeBack();
    await this.#limits.admitChannel(binding.pid, target);
    if (!(await isActiveTenant(this.#orm.em.fork(), binding.tenantId))) throw tenantSuspended();
    const suspension = await this.#bindings.suspensionOf(binding);
    if (suspension !== null) {
      throw conflict(suspension, 'The channel is suspended: its owner may no longer give it its roles');
    }
    const parsed = parseInbound(channel.kind, body);
    if (parsed.kind !== 'message') return parsed;
    const { conversation, reply } = await this.#accept(binding, channel.assistant, parsed.message, traceId);
    const isActive = conversation.activeMessagePid === reply.pid;
    if (reply.status === 'PENDING') await this.#conversations.startReply(conversation, reply, isActive);
    return { kind: 'accepted', conversationId: parsed.message.conversationId, replyPid: reply.pid };
  }

  async #findChannel(environment: string, channelCode: string) {
    const channel = (await this.#snapshots.current(environment)).find(IM_CHANNEL, channelCode);
    const binding = channel && (await this.#bindings.find(environment, channelCode));
    return channel && binding ? { channel, binding } : null;
  }

  /**
   * Finds the newest conversation with this id in the channels that the actor may read.
   * @param channel restricts it to one channel
   * @throws NOT_FOUND
   */
  async find(actor: Actor, externalId: string, channel?: string): Promise<Conversation> {
    const { metadata, tenantId, permissions } = actor;
    const where = { environment: metadata.environment, tenantId, externalId, channel: channel ?? { $ne: null } };
    const found = await this.#orm.em
      .fork()
      .find(ConversationEntity, where, { orderBy: { updatedAt: 'desc' }, limit: 20 });
    const readable = found.find((one) => permissions.has(permissionCode.imRead(one.channel ?? '')));
    if (!readable) throw notFound('There is no such conversation');
    return readable;
  }

  #accept(binding: ChannelBinding, assistantCode: string, message: InboundMessage, traceId: string) {
    return this.#orm.em.fork().transactional(async (em): Promise<{ conversation: Conversation; reply: Message }> => {
      const conversation = await lockChannelConversation(em, {
        environment: binding.environment,
        tenantId: binding.tenantId,
        assistantCode,
        userPid: binding.pid,
        channel: binding.channelCode,
        externalId: message.conversationId,
        title: titleOf(message.text),
      });
      const repeated = await findReplyToRepeat(em, conversation, message);
      if (repeated) return { conversation, reply: repeated };
      const queued = { conversationPid: conversation.pid, status: 'PENDING' } as const;
      const isIdle = !(await activeReplyOf(em, conversation)) && (await em.count(MessageEntity, queued)) === 0;
      // The channel may have another assistant now.
      conversation.assistantCode = assistantCode;
      const reply = addExchange(em, conversation, message, traceId);
      if (isIdle) conversation.activeMessagePid = reply.pid;
      await em.flush();
      return { conversation, reply };
    });
  }
}

/** Finds the reply to an earlier copy of a message, unless it failed before it started. */
async function findReplyToRepeat(
  em: PlatformEntityManager,
  { pid: conversationPid }: Conversation,
  { dedupeKey, dedupeMs }: InboundMessage,
): Promise<Message | null> {
  const since = { createdAt: { $gt: new Date(Date.now() - dedupeMs) } };
  const question = await em.findOne(
    MessageEntity,
    { conversationPid, dedupeKey, ...since },
    { orderBy: { id: 'desc' } },
  );
  if (!question) return null;
  const after = { conversationPid, role: 'assistant', id: { $gt: question.id } } as const;
  const reply = await em.findOne(MessageEntity, after, { orderBy: { id: 'asc' } });
  return reply?.status === 'FAILED' && reply.attempt === 0 ? null : reply;
}
