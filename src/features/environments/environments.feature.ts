import { ENVIRONMENT_SECRETS, EnvironmentSecretEntity } from './environment-secret.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import type { EmptiedData } from '../../foundation/database/emptied-data.ts';
import { sealedStore } from '../../foundation/secrets/sealed-store.ts';
import { EnvironmentSecrets } from './environment-secrets.service.ts';
import { environmentEndpoints } from './environments.endpoints.ts';
import { EnvironmentsService, type HasOpenPromotion } from './environments.service.ts';
import { environmentSecretEndpoints } from './environment-secrets.endpoints.ts';
import { resourcesNaming } from '../../platform/metadata/models/follow-in-resources.ts';
import type { DroppedFields } from '../../platform/metadata/models/renamed-fields.ts';
import { TotalsCache } from '../../platform/records/totals-cache.ts';
import { removedFieldEndpoints } from './removed-fields.endpoints.ts';
import { RemovedFieldsService } from './removed-fields.service.ts';
import { resetEndpoints } from './reset.endpoints.ts';
import { ResetService } from './reset.service.ts';
import { type Platform } from '../../platform/platform.ts';
import { ENVIRONMENTS_TEXTS } from './environments.texts.ts';

/** The environments, their locks, policies, secrets and exports. Spec: "Environment". */
export const environments = {
  texts: [ENVIRONMENTS_TEXTS],
  entities: [EnvironmentSecretEntity],

  create(
    { orm, box, store }: Foundation,
    { resourceTypes, snapshots }: Platform,
    hasOpenPromotion: HasOpenPromotion,
    droppedFields: readonly DroppedFields[],
    emptied: readonly EmptiedData[],
  ) {
    const secrets = new EnvironmentSecrets(orm, box, resourceTypes);
    return {
      secrets,
      sealed: [sealedStore(box, ENVIRONMENT_SECRETS)],
      endpoints: [
        ...environmentEndpoints(new EnvironmentsService(orm, hasOpenPromotion)),
        ...environmentSecretEndpoints(secrets),
        ...resetEndpoints(new ResetService({ orm, snapshots, totals: new TotalsCache(store), emptied })),
        ...removedFieldEndpoints(new RemovedFieldsService(orm, [{ uses: resourcesNaming }, ...droppedFields])),
      ],
    };
  },
};

export type EnvironmentsFeature = ReturnType<typeof environments.create>;
