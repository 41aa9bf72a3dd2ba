import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { designerCommands } from './designer-commands.ts';
import { resourceEndpoints } from './resources.endpoints.ts';
import { DESIGNER_TEXTS } from './designer.texts.ts';

/** Reading and writing configuration in an environment. */
export const designer = {
  texts: [DESIGNER_TEXTS],
  create({ orm }: Foundation, { resources, resourceTypes, snapshots }: Platform) {
    return {
      platformCommands: designerCommands(resources, snapshots, resourceTypes),
      endpoints: resourceEndpoints(orm),
    };
  },
};
