import { buildActivities } from '../../../activities/builds.activities.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { TableBuilder } from '../../platform/metadata/builds/table-builder.ts';
import { TableBuilds } from '../../platform/metadata/builds/table-builds.ts';
import { TotalsCache } from '../../platform/records/totals-cache.ts';
import { type Platform } from '../../platform/platform.ts';
import { buildEndpoints } from './builds.endpoints.ts';
import { designerCommands } from './designer-commands.ts';
import { resourceEndpoints } from './resources.endpoints.ts';
import { DESIGNER_TEXTS } from './designer.texts.ts';

/** Reading and writing configuration in an environment. */
export const designer = {
  texts: [DESIGNER_TEXTS],
  create(
    { config, logger, metrics, orm, store, temporal }: Foundation,
    { resources, resourceTypes, snapshots }: Platform,
  ) {
    const builds = new TableBuilds(orm, temporal, metrics, logger);
    const totals = new TotalsCache(store);
    const builder = new TableBuilder(
      orm,
      config.databaseUrl,
      (environment, modelCode, tenantIds) =>
        totals.stamp(Array.from(tenantIds, (tenantId) => ({ environment, tenantId, modelCode }))),
      logger,
    );
    return {
      platformCommands: designerCommands(resources, snapshots, resourceTypes),
      endpoints: [...resourceEndpoints(orm, resourceTypes), ...buildEndpoints(orm)],
      activities: buildActivities(builder),
      jobs: [builds],
      retention: [builds],
    };
  },
};
