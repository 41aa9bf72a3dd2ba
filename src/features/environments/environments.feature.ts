import { ENVIRONMENT_SECRETS, EnvironmentSecretEntity } from './environment-secret.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { sealedStore } from '../../foundation/secrets/sealed-store.ts';
import { EnvironmentSecrets } from './environment-secrets.service.ts';
import { environmentEndpoints } from './environments.endpoints.ts';
import { EnvironmentsService, type HasOpenPromotion } from './environments.service.ts';
import { environmentSecretEndpoints } from './environment-secrets.endpoints.ts';
import { type Platform } from '../../platform/platform.ts';
import { ENVIRONMENTS_TEXTS } from './environments.texts.ts';

/** The environments, their locks, policies, secrets and exports. Spec: "Environment". */
export const environments = {
  texts: [ENVIRONMENTS_TEXTS],
  entities: [EnvironmentSecretEntity],

  create({ orm, box }: Foundation, { resourceTypes }: Platform, hasOpenPromotion: HasOpenPromotion) {
    const secrets = new EnvironmentSecrets(orm, box, resourceTypes);
    return {
      secrets,
      sealed: [sealedStore(box, ENVIRONMENT_SECRETS)],
      endpoints: [
        ...environmentEndpoints(new EnvironmentsService(orm, hasOpenPromotion)),
        ...environmentSecretEndpoints(secrets),
      ],
    };
  },
};

export type EnvironmentsFeature = ReturnType<typeof environments.create>;
