import { checkedActivities } from './checked-activities.ts';
import { purgeActivities } from '../../activities/purge.activities.ts';
import type { Activities } from '../../workflows/contracts.ts';
import type { Foundation } from '../foundation/foundation.ts';
import { createApp, measureRequests } from '../foundation/http/app.ts';
import { purgeOf } from '../foundation/jobs/retention.ts';
import { TemporalUpkeep } from '../foundation/temporal/temporal-upkeep.ts';
import type { Endpoint } from './auth/requests/endpoint.ts';
import { EndpointRunner } from './auth/requests/endpoint-runner.ts';
import { EventRelay } from './events/outbox/event-relay.ts';
import type { Feature, Job } from './feature.ts';
import type { Platform } from './platform.ts';

/** Puts together what the features give. */
export function collectFeatures(
  { config, database, store, temporal, installationId, logger, metrics }: Foundation,
  { authenticator, health: checks, languages, limits, outboxSignal }: Platform,
  features: Feature[],
) {
  checks.register(features.flatMap(({ healthIndicators = [] }) => healthIndicators));
  const consumers = features.flatMap(({ eventConsumers = [] }) => eventConsumers);
  const relay = new EventRelay(database, consumers, store, logger);
  outboxSignal.subscribe((own) => relay.wake(own));
  const purge = purgeOf(features.flatMap(({ retention = [] }) => retention));
  const restores = features.flatMap(({ restore }) => restore ?? []);
  const upkeep = new TemporalUpkeep(temporal, installationId ?? '', restores, logger);
  const runner = new EndpointRunner(authenticator, limits);
  const options = { trustProxy: config.trustProxy, requestDurations: measureRequests(metrics), languages };
  const appOf = (routes: readonly Endpoint[]) => createApp(runner.routerOf(routes), options, logger);
  const endpoints = features.flatMap(({ endpoints: own = [] }) => own);
  const managementEndpoints = features.flatMap(({ managementEndpoints: own = [] }) => own);
  let finishing: Promise<unknown> | undefined;
  return {
    relay,
    upkeep,
    purge,
    jobs: [relay, upkeep, ...features.flatMap(({ jobs = [] }) => jobs)] as readonly Job[],
    activities: checkedActivities(
      Object.assign(purgeActivities(purge), ...features.map((one) => one.activities)) as Activities,
    ),
    endpoints,
    app: appOf(endpoints),
    /** `/actuator` on a port of its own; null: `app` has it. */
    managementApp: config.managementPort === null ? null : appOf(managementEndpoints),
    /** Starts what still has to be started in Temporal. */
    async settle(): Promise<void> {
      await Promise.all(features.map(async (feature) => feature.settle?.()));
    },
    /** Waits for what is under way in this process. */
    async finish(): Promise<void> {
      await (finishing ??= Promise.all(features.map(async (feature) => feature.close?.())));
    },
  };
}
