import type { Conversation, Message } from '../assistant/conversation.entity.ts';
import type { ReplyFollower } from '../assistant/reply-store.ts';
import { sqlRunnerOf, type PlatformEntityManager } from '../database/orm.ts';
import { newPid } from '../database/pid.ts';
import { insertDispatched } from '../events/outbox.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { insertDeliveries } from '../webhooks/delivery-queue.ts';
import type { Dispatcher } from '../webhooks/dispatcher.ts';
import { retryWindowMs } from '../webhooks/retry-policy.ts';
import { SubscriptionEntity } from '../webhooks/subscription.entity.ts';
import { ChannelBindingEntity } from './channel-binding.entity.ts';
import { IM_REPLY } from './channel-bindings.service.ts';

/**
 * Sends an answer back into its channel: a delivery of the webhook engine, written in the transaction that ends the answer.
 * So it is retried, logged and resent like any other; and as it is matched by nobody, no subscription sees it but the channel's.
 */
export class ReplyDelivery implements ReplyFollower {
  readonly #snapshots: SnapshotCache;
  readonly #dispatcher: Dispatcher;
  readonly #scheduleMs: readonly number[];

  /** @param scheduleMs the delays between attempts */
  constructor(snapshots: SnapshotCache, dispatcher: Dispatcher, scheduleMs: readonly number[]) {
    this.#snapshots = snapshots;
    this.#dispatcher = dispatcher;
    this.#scheduleMs = scheduleMs;
  }

  async follow(
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
    const kind = (await this.#snapshots.current(environment)).imChannels.get(channel)?.kind ?? 'json';
    const { externalId: conversationId } = conversation;
    const { pid: replyPid, text, traceId } = reply;
    const told = {
      commandCode: IM_REPLY,
      modelCode: null,
      payload: { channel, conversationId, replyPid },
      result: { text },
    };
    const event = { pid: newPid(), environment, tenant_id: tenantId, event_type: IM_REPLY, command_code: IM_REPLY };
    const runner = sqlRunnerOf(em);
    const rest = { model_code: '', record_pid: null, body: JSON.stringify(told), trace_id: traceId };
    const [eventId = ''] = await insertDispatched(runner, [{ ...event, ...rest }]);
    const { maxRetries, timeoutMs, retryScheduleMs } = subscription;
    const scheduleMs = retryScheduleMs ?? this.#scheduleMs;
    await insertDeliveries(runner, [
      {
        ...{ pid: newPid(), environment, tenantId, subscriptionPid: subscription.pid, eventPid: event.pid, eventId },
        ...{ eventType: IM_REPLY, modelCode: '', body: JSON.stringify(bodyFor(kind, conversation, reply)), traceId },
        ...{ windowMs: retryWindowMs({ maxRetries, timeoutMs, scheduleMs }), orderKey: null },
      },
    ]);
    return async () => void (await this.#dispatcher.dispatch([subscription.pid]));
  }
}

/** What the channel's end is sent: Slack takes its own form, ours says which message it is about. */
function bodyFor(kind: 'json' | 'slack', { externalId }: Conversation, { pid: replyPid, text }: Message): object {
  const conversationId = externalId ?? '';
  if (kind === 'json') return { conversationId, replyPid, text };
  const [channel, thread] = conversationId.split(':');
  return { channel, text, ...(thread !== undefined && { thread_ts: thread }) };
}
