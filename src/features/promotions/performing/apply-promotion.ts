import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { applyChanges } from '../../../platform/metadata/changes/apply-changes.ts';
import type { ResourceChecks } from '../../../platform/metadata/changes/resource-checks.ts';
import { EnvironmentEntity } from '../../../platform/metadata/environments/environment.entity.ts';
import { requireFourEyes, requireSamePlan, requireStatus, requireConsent } from './apply-guards.ts';
import { isOpen } from '../plan/conflict.ts';
import { auditFailure, auditPromotion } from '../promotion/promotion-audit.ts';
import type { Plan } from '../plan/state/promotion-plan.ts';
import { PromotionEntity, type Promotion, type PromotionRequest } from '../promotion/promotion.entity.ts';
import { noteManifest } from '../promotion/manifests.ts';
import { RecordedError } from '../promotion/recorded-error.ts';
import { noteRollback } from './soak-outcome.ts';
import { beginSoak } from '../promotion/soak.ts';
import { computePlan } from './compute-plan.ts';
import { toColumn, text, type Message } from '../../../foundation/i18n/text.ts';

/**
 * Applies the sealed plan in the caller's transaction: resources, history, tables, metadata version,
 * promotion, audit.
 * @returns a refusal that is to be kept: the plan is stale
 * @throws PROMOTION_STATE, FOUR_EYES_REQUIRED, CONFLICT (CONSENT_REQUIRED), VALIDATION_ERROR, or what
 *   Postgres says
 */
export async function applyPromotion(
  em: PlatformEntityManager,
  resourceChecks: ResourceChecks,
  promotion: Promotion,
  request: PromotionRequest,
): Promise<RecordedError | null> {
  requireStatus(promotion, 'VALIDATED');
  requireSamePlan(promotion, request);
  const sealed = promotion.plan as Plan;
  const target = await em.findOneOrFail(
    EnvironmentEntity,
    { id: promotion.targetEnvId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  const { planned, hash } = await computePlan(em, resourceChecks, promotion, target);
  // A secret is no part of the plan's hash, and may have gone since.
  const lacking = planned.conflicts.find((one) => one.type === 'SECRET_MISSING' && isOpen(one));
  if (lacking) {
    const names = String(lacking.details.secret);
    const message = text('A secret has been deleted ({names}) since the promotion was validated: validate it again', {
      names,
    });
    return unseal(em, promotion, request, message);
  }
  if (hash !== sealed.hash) {
    const message = 'Source or target have changed since the promotion was validated: validate it again';
    return unseal(em, promotion, request, message);
  }
  requireConsent(planned, request);
  await requireFourEyes(em, promotion, target, request);
  const before = target.metadataVersion;
  await applyChanges(resourceChecks, em, target, planned.changes, request.userPid);
  promotion.status = 'APPLIED';
  promotion.appliedBy = request.userPid;
  promotion.appliedReason = request.body.reason ?? null;
  promotion.appliedAt = new Date();
  promotion.applyAt = null;
  promotion.failureReason = null;
  const order = request.body.soak;
  promotion.soak = order ? beginSoak(order, promotion.appliedAt) : null;
  const { application } = await em.findOneOrFail(
    PromotionEntity,
    { pid: promotion.pid },
    { populate: ['application'] },
  );
  if (application) await noteManifest(em, target.code, application, request);
  await noteRollback(em, promotion);
  await auditPromotion(em, promotion, request, 'promotion.apply', promotion.appliedReason, {
    planHash: hash,
    metadataVersion: { before, after: target.metadataVersion },
    items: planned.items.map(({ action, resourceType, code, sourceVersion, targetVersion }) => ({
      action,
      resourceType,
      code,
      from: targetVersion,
      to: sourceVersion,
    })),
    ...(order && { soak: order }),
  });
  return null;
}

async function unseal(
  em: PlatformEntityManager,
  promotion: Promotion,
  request: PromotionRequest,
  message: Message,
): Promise<RecordedError> {
  const error = new ApplicationError('STALE_PLAN', { message });
  promotion.status = 'DRAFT';
  promotion.plan = null;
  promotion.applyAt = null;
  promotion.failureReason = toColumn(message);
  await auditFailure(em, promotion, request, error);
  return new RecordedError(error);
}
