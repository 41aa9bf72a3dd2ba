import { promotionActivities } from '../../../activities/promotions.activities.ts';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import {
  ENDED,
  PromotionEntity,
  PromotionRequestEntity,
  PromotionApprovalEntity,
} from './promotion/promotion.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { PromotionStreams } from './promotion/promotion-stream.ts';
import { PromotionRequestHandler } from './performing/promotion-request-handler.ts';
import { restorePromotionWorkflows } from './intake/promotion-workflows.ts';
import { PromotionChanges } from './intake/promotion-changes.ts';
import { PromotionsService } from './intake/promotions.service.ts';
import { promotionEndpoints } from './promotions.endpoints.ts';
import { environmentImportEndpoints } from './import/environment-imports.endpoints.ts';
import { EnvironmentImportsService } from './import/environment-imports.service.ts';
import { ApplicationManifestEntity } from './promotion/application-manifest.entity.ts';
import { applicationEndpoints } from './files/applications.endpoints.ts';
import { ApplicationsService } from './files/applications.service.ts';
import { draftEndpoints } from './files/drafts.endpoints.ts';
import { DraftsService } from './files/drafts.service.ts';
import { lookAtSoak } from './performing/soak-watch.ts';
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
    const { resources, resourceTypes, resourceChecks, snapshots, streams, streamWriter, health } = platform;
    const promotionStreams = new PromotionStreams(orm, streamWriter, logger);
    const requests = new PromotionRequestHandler(orm, resourceChecks, snapshots, promotionStreams);
    const service = new PromotionsService(orm, temporal, requests);
    const soak = { orm, snapshots, health: () => health.down() };
    return {
      endpoints: [
        ...promotionEndpoints(service, new PromotionChanges(orm, resourceTypes), streams, promotionStreams),
        ...environmentImportEndpoints(new EnvironmentImportsService(orm, service, resourceTypes)),
        ...applicationEndpoints(new ApplicationsService(orm, service, resourceChecks), orm),
        ...draftEndpoints(new DraftsService(orm, resources, resourceChecks, snapshots)),
      ],
      restore: () => restorePromotionWorkflows(orm, temporal),
      activities: promotionActivities(requests, (pid) => lookAtSoak(soak, pid)),
    };
  },
};
