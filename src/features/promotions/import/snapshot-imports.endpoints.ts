import { type SnapshotImportsService } from './snapshot-imports.service.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { ADMIN_ENVIRONMENTS } from '../../../platform/metadata/permissions/permission-codes.ts';
import { ENVIRONMENT_PARAMETER } from '../../environments/environment-parameter.ts';
import { openObject, withDefault } from '../../../foundation/validation/schema.ts';
import { GIVEN_SNAPSHOT } from '../../environments/environment-snapshot.ts';
import { REASON } from '../../../platform/audit/reason.ts';
import { CONSENT } from '../promotion-requests.ts';
import { PROMOTION } from '../promotion.schema.ts';
import { reply } from '../../../foundation/http/reply.ts';
import { presentPromotion } from '../present-promotion.ts';
import { MAX_IMPORT_BYTES } from '../promotions.limits.ts';

/** Spec: "Endpoints", import. Beside the snapshot's keys the body carries `reason` and `consent`. */
export function snapshotImportEndpoints(imports: SnapshotImportsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/admin/environments/:environment/import',
      access: [ADMIN_ENVIRONMENTS],
      tag: 'Promotions',
      summary: 'Make an environment what a snapshot says',
      params: { environment: ENVIRONMENT_PARAMETER },
      body: openObject(GIVEN_SNAPSHOT, { reason: REASON, consent: withDefault([], CONSENT) }),
      maxBodyBytes: MAX_IMPORT_BYTES,
      data: PROMOTION,
      accepted: PROMOTION,
      errors: ['PROMOTION_CONFLICT', 'CONFLICT', 'PROMOTION_STATE', 'STALE_PLAN', 'FOUR_EYES_REQUIRED'],
      check: ({ params, body }, errors) => imports.check(params.environment, body, errors),
      async handle({ actor, params, body }) {
        const details = await imports.import(actor, params.environment, body);
        const isWaiting = details.promotion.status !== 'APPLIED';
        return reply(
          presentPromotion(details),
          isWaiting ? { status: 202, message: 'waiting for a second person' } : {},
        );
      },
    }),
  ];
}
