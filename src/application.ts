import { readMigrations } from '../migrations/index.ts';
import { administration } from './features/administration/administration.feature.ts';
import { app } from './features/app/app.feature.ts';
import { apiDocs } from './features/api-docs/api-docs.feature.ts';
import { assistant } from './features/assistant/assistant.feature.ts';
import { automations } from './features/automations/automations.feature.ts';
import { commands } from './features/commands/commands.feature.ts';
import { webConsole } from './features/console/console.feature.ts';
import { dashboards } from './features/dashboards/dashboards.feature.ts';
import { datasources } from './features/datasources/datasources.feature.ts';
import { designer } from './features/designer/designer.feature.ts';
import { environments } from './features/environments/environments.feature.ts';
import { examples } from './features/examples/examples.feature.ts';
import { files } from './platform/files/files.feature.ts';
import { health } from './features/health/health.feature.ts';
import { imports } from './features/imports/imports.feature.ts';
import { lineage } from './features/lineage/lineage.feature.ts';
import { messaging } from './features/messaging/messaging.feature.ts';
import { promotions } from './features/promotions/promotions.feature.ts';
import { records } from './features/records/records.feature.ts';
import { webhooks } from './features/webhooks/webhooks.feature.ts';
import type { Config } from './foundation/config/config.ts';
import type { EmptiedData } from './foundation/database/emptied-data.ts';
import { closeFoundation, createFoundation, openFoundation, type Foundation } from './foundation/foundation.ts';
import { collectFeatures } from './platform/collect-features.ts';
import type { Feature, FeatureDeclaration } from './platform/feature.ts';
import type { DroppedFields } from './platform/metadata/models/renamed-fields.ts';
import { createPlatform, PLATFORM, type Platform } from './platform/platform.ts';

/** Whatever declares tables, types of resources or texts. */
export const DECLARATIONS: readonly FeatureDeclaration[] = [
  PLATFORM,
  files,
  records,
  commands,
  examples,
  imports,
  environments,
  datasources,
  dashboards,
  promotions,
  webhooks,
  assistant,
  messaging,
  automations,
  designer,
  administration,
  health,
  webConsole,
];

export type Application = Awaited<ReturnType<typeof createApplication>>;

/** Constructs the foundation, the platform and the features. Nothing is connected before `open`. */
export async function createApplication(config: Config) {
  const entities = DECLARATIONS.flatMap(({ entities: own = [] }) => own);
  const foundation = await createFoundation(config, entities, readMigrations());
  const followers = DECLARATIONS.flatMap(({ followRenames }) => followRenames ?? []);
  const types = DECLARATIONS.flatMap(({ resourceTypes }) => resourceTypes?.({ ...foundation, followers }) ?? []);
  const texts = DECLARATIONS.flatMap(({ texts: own = [] }) => own);
  const platform = createPlatform(foundation, types, texts);
  const dropped = DECLARATIONS.flatMap(({ droppedFields }) => droppedFields ?? []);
  // Work ends before what it writes is emptied.
  const emptied = DECLARATIONS.toReversed().flatMap(({ emptied: own = [] }) => own);
  const { features, named } = createFeatures(foundation, platform, dropped, emptied);
  const given = collectFeatures(foundation, platform, features);
  return {
    ...foundation,
    ...platform,
    ...named,
    ...given,
    /**
     * Connects Redis, listens for wake-up calls and warms the metadata cache.
     * @throws SERVICE_UNAVAILABLE while Redis or Postgres is away, and before the database is migrated
     */
    async open() {
      await openFoundation(foundation);
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

function createFeatures(
  foundation: Foundation,
  platform: Platform,
  dropped: readonly DroppedFields[],
  emptied: readonly EmptiedData[],
) {
  const environment = environments.create(foundation, platform, promotions.hasOpen, dropped, emptied);
  const sources = datasources.create(foundation, platform, environment);
  const uploads = files.create(foundation, records.isReadableFile(foundation));
  const fileImports = imports.create(foundation, platform, uploads);
  const dynamicRecords = records.create(foundation, platform, sources, fileImports);
  const design = designer.create(foundation, platform);
  const command = commands.create(foundation, platform, dynamicRecords, design.platformCommands);
  const assistants = assistant.create(foundation, platform, dynamicRecords, command);
  const webhook = webhooks.create(foundation, platform, dynamicRecords);
  const channels = messaging.create(foundation, platform, assistants, webhook);
  const probes = health.create(foundation, platform);
  const features: Feature[] = [
    platform.auth,
    uploads,
    // Its path within a page would be that of a record.
    fileImports,
    dynamicRecords,
    command,
    examples.create(foundation, platform),
    lineage.create(foundation, platform, dynamicRecords, command),
    sources,
    environment,
    promotions.create(foundation, platform),
    design,
    dashboards.create(platform, dynamicRecords, sources),
    app.create(foundation),
    webConsole.create(),
    assistants,
    channels,
    webhook,
    automations.create(foundation, platform, dynamicRecords, command, assistants, environment),
    probes,
  ];
  features.push(administration.create(foundation, platform, features));
  features.push(apiDocs.create(foundation, platform, features, probes.version));
  const named = {
    drain: probes.drain,
    files: uploads.service,
    bindings: channels.bindings,
    commandRunner: command.runner,
    scheduler: webhook.scheduler,
    recordService: dynamicRecords.service,
    workerRecords: dynamicRecords.worker,
  };
  return { features, named };
}
