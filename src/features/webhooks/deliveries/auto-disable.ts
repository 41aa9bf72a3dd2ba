import { appendAudit, SYSTEM } from '../../../platform/audit/audit-log.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { insertEvents } from '../../../platform/events/outbox/outbox.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { cancelUnfinished } from './delivery-admin.ts';
import type { StartedAttempt } from './delivery-attempts.ts';
import { AUTO_DISABLE_WINDOW_HOURS } from '../webhooks.limits.ts';
import { SubscriptionEntity, type Subscription } from '../subscription.entity.ts';
import { toColumn, text, type Text } from '../../../foundation/i18n/text.ts';

/** Sent to other subscriptions when one has been disabled by its endpoint's failures. */
export const WEBHOOK_DISABLED = 'webhook.disabled';

/** Looks at a subscription one of whose deliveries has run out of retries. Never throws. */
export type ConsiderDisabling = (delivery: Pick<StartedAttempt, 'subscriptionPid' | 'traceId'>) => Promise<void>;

/**
 * Disables subscriptions whose deliveries keep running out of retries. What failed before a person has last
 * seen to the subscription does not count: enabled again, it starts anew. What could not be looked at is
 * looked at with the next such delivery.
 * @param limit exhausted deliveries within 24 h that are enough; 0: none are
 */
export function autoDisable(orm: PlatformOrm, limit: number, logger: Logger): ConsiderDisabling {
  return async (delivery) => {
    if (limit === 0) return;
    const { subscriptionPid } = delivery;
    try {
      if (!(await disable(orm, limit, delivery))) return;
      logger.warn({ subscriptionPid }, 'a webhook subscription was disabled: its deliveries keep failing');
    } catch (error) {
      logger.warn({ err: error, subscriptionPid }, 'a failing webhook subscription could not be looked at');
    }
  };
}

function disable(
  orm: PlatformOrm,
  limit: number,
  { subscriptionPid: pid, traceId }: Parameters<ConsiderDisabling>[0],
): Promise<boolean> {
  return orm.em.fork().transactional(async (em) => {
    const runner = sqlRunnerOf(em);
    const [row] = await runner.query<{ exhausted: number }>(
      `select count(*)::int as exhausted from (select 1 from platform.webhook_delivery d
         join platform.webhook_subscription s on s.pid = d.subscription_pid
         where s.pid = $1 and d.status = 'FAILED' and d.finished_at > greatest(now() - interval '${AUTO_DISABLE_WINDOW_HOURS} hours', s.updated_at) limit $2) e`,
      [pid, limit],
    );
    if (!row || row.exhausted < limit) return false;
    const subscription = await em.findOne(SubscriptionEntity, { pid, enabled: true }, { lockMode: 4 });
    if (!subscription) return false;
    const reason = text('{count} deliveries ran out of retries within 24 hours', { count: limit });
    subscription.enabled = false;
    subscription.disabledReason = toColumn(reason);
    subscription.updatedAt = new Date();
    await em.flush();
    await cancelUnfinished(runner, pid, 'subscription disabled');
    const { environment, tenantId } = subscription;
    await insertEvents(runner, [
      {
        pid: newPid(),
        environment,
        tenantId,
        eventType: WEBHOOK_DISABLED,
        commandCode: WEBHOOK_DISABLED,
        modelCode: '',
        recordPid: null,
        body: bodyOf(subscription, reason),
        traceId,
      },
    ]);
    await appendAudit(em, {
      actor: SYSTEM,
      action: 'webhook.disable',
      targetType: 'webhook',
      targetPid: pid,
      environment,
      reason: String(reason),
      before: { enabled: true },
      after: { enabled: false },
    });
    return true;
  });
}

function bodyOf({ pid, name, targetUrl, eventType }: Subscription, reason: Text): string {
  const payload = { subscriptionPid: pid, name, targetUrl, eventType, reason };
  return JSON.stringify({ commandCode: WEBHOOK_DISABLED, modelCode: null, payload, result: { enabled: false } });
}
