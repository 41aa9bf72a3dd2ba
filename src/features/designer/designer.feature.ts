import { buildActivities } from '../../../activities/builds.activities.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { TableBuilder } from '../../platform/metadata/builds/table-builder.ts';
import { TableBuilds } from '../../platform/metadata/builds/table-builds.ts';
import { type Platform } from '../../platform/platform.ts';
import { buildEndpoints } from './builds.endpoints.ts';
import { designerCommands } from './designer-commands.ts';
import { resourceEndpoints } from './resources.endpoints.ts';
import { DESIGNER_TEXTS } from './designer.texts.ts';

/** Reading and writing configuration in an environment. */
export const designer = {
  texts: [DESIGNER_TEXTS],
  create({ config, logger, metrics, orm, temporal }: Foundation, { resources, resourceTypes, snapshots }: Platform) {
    const builds = new TableBuilds(orm, temporal, metrics, logger);
    return {
      platformCommands: designerCommands(resources, snapshots, resourceTypes),
      endpoints: [...resourceEndpoints(orm, resourceTypes), ...buildEndpoints(orm)],
      activities: buildActivities(new TableBuilder(orm, config.databaseUrl, logger)),
      jobs: [builds],
      retention: [builds],
    };
  },
};
