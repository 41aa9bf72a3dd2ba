import { promotionActivities } from '../../../activities/promotions.activities.ts';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { ENDED, PromotionEntity, PromotionRequestEntity, PromotionApprovalEntity } from './promotion.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { PromotionStreams } from './promotion-stream.ts';
import { PromotionRequestHandler } from './promotion-request-handler.ts';
import { restorePromotionWorkflows } from './promotion-workflows.ts';
import { PromotionsService } from './promotions.service.ts';
import { promotionEndpoints } from './promotions.endpoints.ts';
import { snapshotImportEndpoints } from './import/snapshot-imports.endpoints.ts';
import { SnapshotImportsService } from './import/snapshot-imports.service.ts';
import { ApplicationManifestEntity } from './files/application-manifest.entity.ts';
import { applicationEndpoints } from './files/applications.endpoints.ts';
import { ApplicationsService } from './files/applications.service.ts';
import { SoakWatch } from './soak/soak-watch.ts';
import { PROMOTIONS_TEXTS } from './promotions.texts.ts';

/** Moving configuration from one environment to the next. Spec: "Promotion". */
export const promotions = {
  texts: [PROMOTIONS_TEXTS],
  entities: [PromotionEntity, PromotionRequestEntity, PromotionApprovalEntity, ApplicationManifestEntity],

  /** For the environments, which promotions build on. */
  hasOpen: async (em: PlatformEntityManager, targetEnvId: number): Promise<boolean> => {
    const open = { targetEnvId, status: { $nin: [...ENDED] } };
    return (await em.findOne(PromotionEntity, open, { fields: ['pid'] })) !== null;
  },

  create({ orm, temporal, logger }: Foundation, platform: Platform) {
    const { resourceTypes, changeSets, snapshots, streams, streamWriter, health } = platform;
    const promotionStreams = new PromotionStreams(orm, streamWriter, logger);
    const requests = new PromotionRequestHandler(orm, changeSets, snapshots, promotionStreams);
    const service = new PromotionsService(orm, temporal, requests);
    return {
      endpoints: [
        ...promotionEndpoints(service, streams, promotionStreams),
        ...snapshotImportEndpoints(new SnapshotImportsService(orm, service, resourceTypes)),
        ...applicationEndpoints(new ApplicationsService(orm, service, changeSets), orm),
      ],
      restore: () => restorePromotionWorkflows(orm, temporal),
      activities: promotionActivities(requests, new SoakWatch(orm, snapshots, () => health.down())),
    };
  },
};
