import { filtersNaming, followInFilters } from './subscriptions/follow-renames.ts';
import { SubscriptionsService, orphanedSubscriptions } from './subscriptions/subscriptions.service.ts';
import { DeliveryLog, eraseDeliveries, logRetention, tracedDeliveries } from './log/delivery-log.ts';
import { webhookActivities } from '../../../activities/webhooks.activities.ts';
import { SubscriptionEntity, EndpointEntity } from './subscription.entity.ts';
import { DeliveryEntity, AttemptEntity, RecoveryEntity } from './deliveries/delivery.entity.ts';
import { rowsOfEnvironment } from '../../foundation/database/emptied-data.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { type RecordsFeature } from '../records/records.feature.ts';
import { ChannelDestinations } from './channel-destinations.ts';
import { autoDisable } from './deliveries/auto-disable.ts';
import { DeliveryScheduler } from './deliveries/delivery-scheduler.ts';
import { DeliveryStarter } from './deliveries/delivery-starter.ts';
import { attemptSender } from './deliveries/attempt-sender.ts';
import { measureQueue } from './deliveries/delivery-metrics.ts';
import { DeliveryExecutor } from './deliveries/delivery-executor.ts';
import { DeliveryAdmin } from './deliveries/delivery-admin.ts';
import { sealedStore } from '../../foundation/secrets/sealed-store.ts';
import { SUBSCRIPTION_SECRETS } from './subscription-secrets.ts';
import { testSender } from './subscriptions/test-delivery.ts';
import { subscriptionEndpoints } from './subscriptions/subscriptions.endpoints.ts';
import { matchEndpoint } from './subscriptions/match.endpoints.ts';
import { recentMatcher } from './matching/recent-matches.ts';
import { deliveryLogEndpoints, tenantLogEndpoint } from './log/delivery-log.endpoints.ts';
import { deliveryAdminEndpoints, resendEndpoint } from './log/delivery-admin.endpoints.ts';
import { Recoveries } from './log/recoveries.ts';
import { eventMatcher } from './matching/event-matcher.ts';
import { subscriptionAudience, SubscriptionMatcher } from './matching/subscription-matcher.ts';
import { WEBHOOKS_TEXTS } from './webhooks.texts.ts';

/** Events for other systems, delivered at least once. Spec: "Events". */
export const webhooks = {
  texts: [WEBHOOKS_TEXTS],
  followRenames: followInFilters,
  droppedFields: { uses: filtersNaming },
  entities: [SubscriptionEntity, EndpointEntity, DeliveryEntity, AttemptEntity, RecoveryEntity],
  emptied: [rowsOfEnvironment('deliveries', 'platform.webhook_delivery', { isLeftToHolders: true })],

  create(
    foundation: Foundation,
    { snapshots, eventErasers, eventAudiences, eventConsequences }: Platform,
    { visibility }: RecordsFeature,
  ) {
    const { config, logger, metrics, orm, database, temporal, outbound, box } = foundation;
    const { retryScheduleMs, circuitFailures, autoDisableAfter, logDays, maxInFlight } = config.webhooks;
    const considerDisabling = autoDisable(orm, autoDisableAfter, logger);
    const starter = new DeliveryStarter(temporal);
    const scheduler = new DeliveryScheduler({
      database,
      temporal,
      starter,
      attemptFirst: config.roles.has('worker') ? (deliveries, onEnd) => executor.attemptFirst(deliveries, onEnd) : null,
      circuitFailures,
      maxInFlight,
      onExpired: considerDisabling,
      logger,
    });
    const executor: DeliveryExecutor = new DeliveryExecutor({
      database,
      send: attemptSender({ database, snapshots, visibility, outbound, box, logger, retryScheduleMs }),
      scheduler,
      starter,
      autoDisable: considerDisabling,
      config: config.webhooks,
      metrics,
      logger,
    });
    const deliveries = new DeliveryAdmin(database, temporal, scheduler, retryScheduleMs);
    const subscriptions = new SubscriptionsService(orm, box, (url) => outbound.problemOfTargetUrl(url));
    const log = new DeliveryLog(orm, database, visibility, box);
    const sendTest = testSender({ database, visibility, outbound, box });
    measureQueue(metrics, database);
    const matcher = new SubscriptionMatcher(snapshots, visibility);
    eventErasers.push(eraseDeliveries);
    eventAudiences.push(subscriptionAudience(matcher));
    eventConsequences.deliveries = tracedDeliveries(database);
    return {
      scheduler,
      destinations: new ChannelDestinations(box, scheduler, retryScheduleMs),
      findOrphaned: orphanedSubscriptions(snapshots),
      endpoints: [
        tenantLogEndpoint(database),
        resendEndpoint(deliveries),
        matchEndpoint(recentMatcher(database, visibility)),
        ...subscriptionEndpoints(subscriptions, sendTest, box, circuitFailures),
        ...deliveryLogEndpoints(log, subscriptions, database),
        ...deliveryAdminEndpoints(deliveries, log, new Recoveries(orm)),
      ],
      activities: webhookActivities(executor, deliveries),
      jobs: [scheduler],
      sealed: [sealedStore(box, SUBSCRIPTION_SECRETS)],
      retention: [logRetention(orm, logDays)],
      eventConsumers: [eventMatcher(matcher, scheduler, retryScheduleMs)],
      close: () => scheduler.idle(),
    };
  },
};

export type WebhooksFeature = ReturnType<typeof webhooks.create>;
