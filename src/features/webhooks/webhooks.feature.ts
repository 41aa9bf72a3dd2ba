import { webhookActivities } from '../../../activities/webhooks.activities.ts';
import { SubscriptionEntity, EndpointEntity } from './subscription.entity.ts';
import { DeliveryEntity, AttemptEntity, RecoveryEntity } from './deliveries/delivery.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { type RecordsFeature } from '../records/records.feature.ts';
import { AutoDisable } from './deliveries/auto-disable.ts';
import { DeliveryScheduler } from './deliveries/delivery-scheduler.ts';
import { DeliveryStarter } from './deliveries/delivery-starter.ts';
import { DeliveryGroupRunner } from './deliveries/delivery-group-runner.ts';
import { EndpointSpeeds } from './deliveries/endpoint-speeds.ts';
import { BodyOfAttempt } from './deliveries/body-of-attempt.ts';
import { DeliveryExecutor } from './deliveries/delivery-executor.ts';
import { DeliveryAdmin } from './deliveries/delivery-admin.ts';
import { SubscriptionsService } from './subscriptions/subscriptions.service.ts';
import { sealedStore } from '../../foundation/secrets/sealed-store.ts';
import { SUBSCRIPTION_SECRETS } from './subscription-secrets.ts';
import { subscriptionsLeftBehind } from './subscriptions/subscription-owners.ts';
import { DeliveryLog } from './log/delivery-log.ts';
import { TestDelivery } from './subscriptions/test-delivery.ts';
import { measureQueue } from './deliveries/delivery-queue-metrics.ts';
import { subscriptionEndpoints } from './subscriptions/subscriptions.endpoints.ts';
import { deliveryLogEndpoints } from './log/delivery-log.endpoints.ts';
import { deliveryAdminEndpoints } from './log/delivery-admin.endpoints.ts';
import { Recoveries } from './log/recoveries.ts';
import { eraseDeliveries } from './log/erase-deliveries.ts';
import { tracedDeliveries } from './log/traced-deliveries.ts';
import { LogRetention } from './log/log-retention.ts';
import { EventMatcher } from './matching/event-matcher.ts';
import { subscriptionAudience } from './matching/subscription-audience.ts';
import { SubscriptionMatcher } from './matching/subscription-matcher.ts';
import { WEBHOOKS_TEXTS } from './webhooks.texts.ts';

/** Events for other systems, delivered at least once. Spec: "Events". */
export const webhooks = {
  texts: [WEBHOOKS_TEXTS],
  entities: [SubscriptionEntity, EndpointEntity, DeliveryEntity, AttemptEntity, RecoveryEntity],

  create(
    foundation: Foundation,
    { snapshots, eventErasers, eventAudiences, eventConsequences }: Platform,
    { visibility }: RecordsFeature,
  ) {
    const { config, logger, metrics, orm, database, temporal, outbound, box } = foundation;
    const { retryScheduleMs, circuitFailures, autoDisableAfter, logDays, groupMax } = config.webhooks;
    const autoDisable = new AutoDisable(orm, autoDisableAfter, logger);
    const speeds = new EndpointSpeeds();
    const starter = new DeliveryStarter(temporal, speeds, groupMax, metrics);
    const scheduler = new DeliveryScheduler(
      database,
      temporal,
      starter,
      circuitFailures,
      (delivery) => autoDisable.consider(delivery),
      logger,
    );
    const executor = new DeliveryExecutor(
      database,
      outbound,
      new BodyOfAttempt(database, snapshots, visibility),
      box,
      scheduler,
      starter,
      speeds,
      autoDisable,
      config.webhooks,
      metrics,
      logger,
    );
    const groups = new DeliveryGroupRunner(database, executor, starter, speeds, logger);
    const deliveries = new DeliveryAdmin(database, temporal, scheduler, retryScheduleMs);
    const subscriptions = new SubscriptionsService(orm, box, (url) => outbound.problemOfTargetUrl(url));
    const log = new DeliveryLog(orm, database, visibility);
    const tests = new TestDelivery(database, visibility, outbound, box);
    measureQueue(metrics, database);
    const matcher = new SubscriptionMatcher(snapshots, visibility);
    eventErasers.push(eraseDeliveries);
    eventAudiences.push(subscriptionAudience(matcher));
    eventConsequences.deliveries = tracedDeliveries(database);
    return {
      scheduler,
      leftBehind: subscriptionsLeftBehind(snapshots),
      endpoints: [
        ...subscriptionEndpoints(subscriptions, tests, box, circuitFailures),
        ...deliveryLogEndpoints(log, subscriptions, database),
        ...deliveryAdminEndpoints(deliveries, log, new Recoveries(orm)),
      ],
      activities: webhookActivities(executor, groups, deliveries),
      jobs: [scheduler],
      sealed: [sealedStore(box, SUBSCRIPTION_SECRETS)],
      retention: [new LogRetention(orm, logDays)],
      eventConsumers: [new EventMatcher(matcher, scheduler, retryScheduleMs)],
      async close() {
        await starter.close();
        await executor.idle();
      },
    };
  },
};

export type WebhooksFeature = ReturnType<typeof webhooks.create>;
