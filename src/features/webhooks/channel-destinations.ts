import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { newPid } from '../../foundation/database/pid.ts';
import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import type { SecretBox } from '../../foundation/secrets/secret-box.ts';
import { CHANNEL_REPLY } from '../../platform/events/audience/channel-replies.ts';
import { insertDispatched, type NewEvent } from '../../platform/events/outbox/outbox.ts';
import { cancelUnfinished } from './deliveries/delivery-admin.ts';
import { insertDeliveries } from './deliveries/delivery-queue.ts';
import type { DeliveryScheduler } from './deliveries/delivery-scheduler.ts';
import { retryWindowMs } from './deliveries/retry-policy.ts';
import { EndpointEntity, SubscriptionEntity, type Subscription } from './subscription.entity.ts';
import { sealSecret } from './subscription-secrets.ts';
import { isOtherOrigin } from './subscriptions/subscription-credentials.ts';
import { ATTEMPT_TIMEOUT_MS, RETRIES } from './webhooks.limits.ts';

/** A channel whose replies go to a URL: who owns it, and the roles that its replies are read with. */
export interface Destination extends Pick<
  Subscription,
  'environment' | 'tenantId' | 'name' | 'createdBy' | 'createdByName' | 'ownedBy' | 'roles'
> {
  readonly url: string;
  readonly secret: string;
}

/** A reply: its event, and the body that the channel's URL is sent. */
export interface ChannelReply {
  readonly event: Omit<NewEvent, 'pid' | 'eventType' | 'modelCode' | 'recordPid'>;
  readonly sentBody: string;
}

/**
 * Subscriptions that deliver the replies of channels, for the feature that has these. No event matches them:
 * each reply adds its delivery, which is retried, logged and resent like any other.
 */
export class ChannelDestinations {
  readonly #box: SecretBox;
  readonly #scheduler: DeliveryScheduler;
  readonly #scheduleMs: readonly number[];

  /** @param scheduleMs the delays between attempts */
  constructor(box: SecretBox, scheduler: DeliveryScheduler, scheduleMs: readonly number[]) {
    this.#box = box;
    this.#scheduler = scheduler;
    this.#scheduleMs = scheduleMs;
  }

  /**
   * Makes a channel's subscription, or changes it. One that goes to another origin is replaced: what was said
   * before is not for the new address, nor is it sent there again.
   * @param pid of the present one; null when there is none
   * @returns the pid of the one that delivers now
   */
  async save(em: PlatformEntityManager, pid: string | null, destination: Destination): Promise<string> {
    const { url, secret, ...owned } = destination;
    const now = new Date();
    const present = pid === null ? null : await em.findOne(SubscriptionEntity, { pid });
    if (present && !isOtherOrigin(present.targetUrl, url)) {
      const { roles, ownedBy } = owned;
      const enabled = { enabled: true, disabledReason: null, deletedAt: null };
      const secrets = [sealSecret(this.#box, present.pid, secret, now)];
      // As an adoption: who binds it anew answers for what the channel reads.
      em.assign(present, { ...enabled, roles, ownedBy, targetUrl: url, secrets, updatedAt: now });
      await em.flush();
      return present.pid;
    }
    if (present) {
      em.assign(present, { enabled: false, deletedAt: now });
      await em.flush();
      await cancelUnfinished(sqlRunnerOf(em), present.pid, 'sent to another address before');
    }
    const newest = newPid();
    em.create(SubscriptionEntity, {
      ...owned,
      pid: newest,
      targetUrl: url,
      eventType: CHANNEL_REPLY,
      maxRetries: RETRIES.default,
      timeoutMs: ATTEMPT_TIMEOUT_MS.default,
      ordering: 'none',
      enabled: true,
      secrets: [sealSecret(this.#box, newest, secret, now)],
    });
    await em.flush();
    em.create(EndpointEntity, { subscriptionPid: newest });
    await em.flush();
    return newest;
  }

  /** Ends the delivery of replies for as long as the channel has no URL. */
  async disable(em: PlatformEntityManager, pid: string): Promise<void> {
    await em.nativeUpdate(SubscriptionEntity, { pid }, { enabled: false, updatedAt: new Date() });
  }

  async delete(em: PlatformEntityManager, pid: string): Promise<void> {
    await em.nativeUpdate(SubscriptionEntity, { pid }, { enabled: false, deletedAt: new Date() });
  }

  /**
   * Queues a reply, in the transaction that ends it.
   * @returns what to do after the commit; null when the channel has no destination any more
   */
  async queue(em: PlatformEntityManager, pid: string, reply: ChannelReply): Promise<(() => Promise<void>) | null> {
    const subscription = await em.findOne(SubscriptionEntity, { pid, deletedAt: null });
    if (!subscription) return null;
    const { environment, tenantId, traceId } = reply.event;
    const common = { environment, tenantId, traceId, eventType: CHANNEL_REPLY, modelCode: '' };
    const runner = sqlRunnerOf(em);
    const eventPid = newPid();
    const [eventId = ''] = await insertDispatched(runner, [
      { ...reply.event, ...common, pid: eventPid, recordPid: null },
    ]);
    const { maxRetries, timeoutMs, retryScheduleMs } = subscription;
    await insertDeliveries(runner, [
      {
        ...common,
        pid: newPid(),
        subscriptionPid: pid,
        eventPid,
        eventId,
        body: reply.sentBody,
        windowMs: retryWindowMs({ maxRetries, timeoutMs, scheduleMs: retryScheduleMs ?? this.#scheduleMs }),
        orderKey: null,
      },
    ]);
    return async () => void (await this.#scheduler.dispatch([pid]));
  }
}

/** Makes another user the one whose rights a channel's subscription needs. */
export async function adoptDestination(em: PlatformEntityManager, pid: string, ownedBy: string): Promise<void> {
  await em.nativeUpdate(SubscriptionEntity, { pid }, { ownedBy });
}
