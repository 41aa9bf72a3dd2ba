import { MIGRATIONS } from '../migrations/index.ts';
import { administration } from './features/administration/administration.feature.ts';
import { app } from './features/app/app.feature.ts';
import { apiDocs } from './features/api-docs/api-docs.feature.ts';
import { assistant } from './features/assistant/assistant.feature.ts';
import { automations } from './features/automations/automations.feature.ts';
import { commands } from './features/commands/commands.feature.ts';
import { datasources } from './features/datasources/datasources.feature.ts';
import { designer } from './features/designer/designer.feature.ts';
import { environments } from './features/environments/environments.feature.ts';
import { health } from './features/health/health.feature.ts';
import { messaging } from './features/messaging/messaging.feature.ts';
import { promotions } from './features/promotions/promotions.feature.ts';
import { records } from './features/records/records.feature.ts';
import { webhooks } from './features/webhooks/webhooks.feature.ts';
import type { Config } from './foundation/config/config.ts';
import { problemOfInstallation } from './foundation/database/installation.ts';
import { closeFoundation, createFoundation, type Foundation } from './foundation/foundation.ts';
import { createApp, measureRequests } from './foundation/http/app.ts';
import type { Endpoint } from './platform/auth/requests/endpoint.ts';
import { EndpointRunner } from './platform/auth/requests/endpoint-runner.ts';
import { collectFeatures } from './platform/collect-features.ts';
import type { Feature, FeatureDeclaration } from './platform/feature.ts';
import { ChangeSets } from './platform/metadata/changes/change-set.ts';
import { ResourceTypes } from './platform/metadata/resources/resource-types.ts';
import { createPlatform, PLATFORM, type Platform } from './platform/platform.ts';

/** Whatever declares tables, types of resources or texts. */
const DECLARATIONS: readonly FeatureDeclaration[] = [
  PLATFORM,
  records,
  commands,
  environments,
  datasources,
  promotions,
  webhooks,
  assistant,
  messaging,
  automations,
  designer,
  administration,
  health,
];

/** The types of resources and the public keys of texts, for checks of files: no database, nothing to close. */
export function offlineChangeSets(): ChangeSets {
  const types = DECLARATIONS.flatMap(({ resourceTypes }) => resourceTypes?.({ database: null }) ?? []);
  const tables = DECLARATIONS.flatMap(({ texts = [] }) => texts);
  return new ChangeSets(new ResourceTypes(types), new Set(tables.flatMap((table) => Object.keys(table))));
}

export type Application = Awaited<ReturnType<typeof createApplication>>;

/**
 * Constructs the program: the foundation, the platform, the features in their order. Nothing is connected
 * before `open`.
 */
export async function createApplication(config: Config) {
  const entities = DECLARATIONS.flatMap(({ entities: own = [] }) => own);
  const foundation = await createFoundation(config, entities, MIGRATIONS);
  const types = DECLARATIONS.flatMap(({ resourceTypes }) => resourceTypes?.(foundation) ?? []);
  const texts = DECLARATIONS.flatMap(({ texts: own = [] }) => own);
  const platform = createPlatform(foundation, new ResourceTypes(types), texts);
  const drain = { draining: false };
  const { features, actuator, named } = createFeatures(foundation, platform, drain);
  const given = collectFeatures(foundation, platform, features);
  const { logger, metrics } = foundation;
  const runner = new EndpointRunner(platform.authenticator, platform.limits);
  const requestDurations = measureRequests(metrics);
  const appOptions = { trustProxy: config.trustProxy, requestDurations, languages: platform.languages };
  const appOf = (routes: readonly Endpoint[]) => createApp(runner.routerOf(routes), appOptions, logger);
  return {
    ...foundation,
    ...platform,
    ...named,
    ...given,
    drain,
    app: appOf(given.endpoints),
    /** `/actuator` on a port of its own; null: `app` has it. */
    managementApp: config.managementPort === null ? null : appOf(actuator),
    /**
     * Connects Redis, listens for wake-up calls and warms the metadata cache.
     * @throws SERVICE_UNAVAILABLE while Redis or Postgres is away, and before the database is migrated
     */
    async open() {
      if (foundation.installationId === null) throw await problemOfInstallation(foundation.orm);
      await foundation.store.connect();
      for (const feature of features) await feature.open?.();
      await platform.snapshots.warm();
    },
    async close() {
      await given.finish();
      platform.close();
      await closeFoundation(foundation);
    },
  };
}

function createFeatures(foundation: Foundation, platform: Platform, drain: { readonly draining: boolean }) {
  const dynamicRecords = records.create(foundation);
  const design = designer.create(foundation, platform);
  const command = commands.create(foundation, platform, dynamicRecords, design.platformCommands);
  const environment = environments.create(foundation, platform, promotions.hasOpen);
  const assistants = assistant.create(foundation, platform, dynamicRecords, command);
  const webhook = webhooks.create(foundation, platform, dynamicRecords);
  const channels = messaging.create(foundation, platform, assistants, webhook);
  const probes = health.create(foundation, platform, drain);
  const features: Feature[] = [
    platform.auth,
    dynamicRecords,
    command,
    datasources.create(foundation, environment),
    environment,
    promotions.create(foundation, platform),
    design,
    app.create(),
    assistants,
    channels,
    webhook,
    automations.create(foundation, platform, dynamicRecords, command, assistants, environment),
    probes,
  ];
  const sealed = features.flatMap(({ sealed: own = [] }) => own);
  const leftBehind = features.flatMap(({ leftBehind: find }) => find ?? []);
  features.push(administration.create(foundation, platform, sealed, leftBehind));
  const described = features.flatMap(({ endpoints = [] }) => endpoints);
  features.push(apiDocs.create(foundation, platform, described, probes.version));
  const named = { bindings: channels.bindings, commandRunner: command.runner, scheduler: webhook.scheduler };
  return { features, actuator: probes.actuator, named };
}
