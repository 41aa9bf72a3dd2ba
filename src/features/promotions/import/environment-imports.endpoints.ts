import { type EnvironmentImportsService } from './environment-imports.service.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { ADMIN_ENVIRONMENTS } from '../../../platform/metadata/permissions/permission-codes.ts';
import { ENVIRONMENT_PARAMETER } from '../../environments/environments.service.ts';
import { BOOLEAN, described, openObject, withDefault } from '../../../foundation/validation/schema.ts';
import { GIVEN_EXPORT } from '../../environments/environment-export.ts';
import { REASON } from '../../../platform/audit/reason.ts';
import { CONSENT } from '../intake/promotion-requests.ts';
import { PROMOTION, presentPromotion } from '../intake/promotion.schema.ts';
import { reply } from '../../../foundation/http/reply.ts';
import { MAX_IMPORT_BYTES } from '../promotions.limits.ts';

/** Spec: "Endpoints", import. Beside the export's keys the body carries `reason` and `consent`. */
export function environmentImportEndpoints(imports: EnvironmentImportsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/admin/environments/:environment/import',
      access: [ADMIN_ENVIRONMENTS],
      tag: 'Promotions',
      summary: 'Make an environment what a snapshot says',
      params: { environment: ENVIRONMENT_PARAMETER },
      body: openObject(GIVEN_EXPORT, {
        reason: REASON,
        consent: withDefault([], CONSENT),
        planOnly: described(
          'Leave the promotion to be looked at and applied, or resolved',
          withDefault(false, BOOLEAN),
        ),
      }),
      maxBodyBytes: MAX_IMPORT_BYTES,
      data: PROMOTION,
      accepted: PROMOTION,
      errors: ['PROMOTION_CONFLICT', 'CONFLICT', 'PROMOTION_STATE', 'STALE_PLAN', 'FOUR_EYES_REQUIRED'],
      check: ({ params, body }, errors) => imports.check(params.environment, body, errors),
      async handle({ actor, params, body }) {
        const details = await imports.import(actor, params.environment, body);
        const isWaiting = details.promotion.status !== 'APPLIED';
        if (!isWaiting) return reply(presentPromotion(details), {});
        const message = body.planOnly ? {} : ({ message: 'waiting for a second person' } as const);
        return reply(presentPromotion(details), { status: 202, ...message });
      },
    }),
  ];
}
