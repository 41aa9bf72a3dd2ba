import type { Conversation, Message } from '../assistant/conversations/conversation.entity.ts';
import type { ReplyEndListener } from '../assistant/replies/reply-store.ts';
import { sqlRunnerOf, type PlatformEntityManager } from '../../foundation/database/orm.ts';
import { newPid } from '../../foundation/database/pid.ts';
import { CHANNEL_REPLY, codeOfReplyIn } from '../../platform/events/audience/channel-replies.ts';
import { insertDispatched } from '../../platform/events/outbox/outbox.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { insertDeliveries } from '../webhooks/deliveries/delivery-queue.ts';
import type { DeliveryScheduler } from '../webhooks/deliveries/delivery-scheduler.ts';
import { retryWindowMs } from '../webhooks/deliveries/retry-policy.ts';
import { SubscriptionEntity } from '../webhooks/subscription.entity.ts';
import { ChannelBindingEntity } from './channel-binding.entity.ts';
import { IM_CHANNEL } from './channel-type.ts';

/**
 * Sends a reply to its channel's URL as a webhook delivery, written in the transaction that ends the reply.
 * So it is retried, logged and resent like any other. It is not matched, so only the channel's subscription
 * receives it.
 */
export class ReplyDelivery implements ReplyEndListener {
  readonly #snapshots: SnapshotCache;
  readonly #scheduler: DeliveryScheduler;
  readonly #scheduleMs: readonly number[];

  /** @param scheduleMs the delays between attempts */
  constructor(snapshots: SnapshotCache, scheduler: DeliveryScheduler, scheduleMs: readonly number[]) {
    this.#snapshots = snapshots;
    this.#scheduler = scheduler;
    this.#scheduleMs = scheduleMs;
  }

  async replyEnded(
    em: PlatformEntityManager,
    conversation: Conversation,
    reply: Message,
  ): Promise<(() => Promise<void>) | null> {
    const { channel, environment, tenantId } = conversation;
    if (!channel || reply.status !== 'COMPLETED') return null;
    const binding = await em.findOne(ChannelBindingEntity, { pid: conversation.userPid });
    const pid = binding?.replyUrl ? (binding.subscriptionPid ?? null) : null;
    const subscription = pid === null ? null : await em.findOne(SubscriptionEntity, { pid, deletedAt: null });
    if (!subscription) return null;
    const kind = (await this.#snapshots.current(environment)).find(IM_CHANNEL, channel)?.kind ?? 'json';
    const common = { environment, tenantId, eventType: CHANNEL_REPLY, modelCode: '', traceId: reply.traceId };
    const runner = sqlRunnerOf(em);
    const eventPid = newPid();
    const body = JSON.stringify({
      commandCode: CHANNEL_REPLY,
      modelCode: null,
      payload: { channel, conversationId: conversation.externalId, replyPid: reply.pid },
      result: { text: reply.text },
    });
    const event = { ...common, pid: eventPid, commandCode: codeOfReplyIn(channel), recordPid: null, body };
    const [eventId = ''] = await insertDispatched(runner, [event]);
    const { maxRetries, timeoutMs, retryScheduleMs } = subscription;
    await insertDeliveries(runner, [
      {
        ...common,
        pid: newPid(),
        subscriptionPid: subscription.pid,
        eventPid,
        eventId,
        body: JSON.stringify(bodyFor(kind, conversation, reply)),
        windowMs: retryWindowMs({ maxRetries, timeoutMs, scheduleMs: retryScheduleMs ?? this.#scheduleMs }),
        orderKey: null,
      },
    ]);
    return async () => void (await this.#scheduler.dispatch([subscription.pid]));
  }
}

/** The body of the delivery, in the form of the channel's kind. */
function bodyFor(kind: 'json' | 'slack', { externalId }: Conversation, { pid: replyPid, text }: Message): object {
  const conversationId = externalId ?? '';
  if (kind === 'json') return { conversationId, replyPid, text };
  const [channel, thread] = conversationId.split(':');
  return { channel, text, ...(thread !== undefined && { thread_ts: thread }) };
}
