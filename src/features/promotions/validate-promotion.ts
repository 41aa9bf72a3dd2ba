import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import type { ChangeSets } from '../../platform/metadata/changes/change-set.ts';
import { requireStatus } from './apply/apply-guards.ts';
import { isOpen, type Resolution } from './plan/conflict.ts';
import { computePlan } from './plan/compute-plan.ts';
import { conflictsInPlan } from './plan/planner.ts';
import { auditPromotion } from './promotion-audit.ts';
import { storePlan } from './plan/store-plan.ts';
import { environmentById } from './plan/promotion-source.ts';
import { PromotionEntity, type Promotion, type PromotionRequest } from './promotion.entity.ts';

/** The dry run: everything that stands against the promotion, and without open conflicts a sealed plan. */
export async function validatePromotion(
  em: PlatformEntityManager,
  changeSets: ChangeSets,
  promotion: Promotion,
  request: PromotionRequest,
): Promise<void> {
  requireStatus(promotion, 'DRAFT', 'VALIDATED', 'FAILED');
  const { autoInclude, resolutions } = request.body;
  if (autoInclude !== undefined) promotion.autoInclude = autoInclude;
  if (resolutions) promotion.resolutions = merge(promotion.resolutions, resolutions);
  const target = await environmentById(em, promotion.targetEnvId);
  const { planned, hash } = await computePlan(em, changeSets, promotion, target);
  const { pid, targetEnvId } = promotion;
  const others = await em.find(PromotionEntity, { targetEnvId, status: 'VALIDATED', pid: { $ne: pid } });
  promotion.conflicts = [...planned.conflicts, ...conflictsInPlan(planned.items, others)];
  const valid = !promotion.conflicts.some(isOpen);
  // The apply was scheduled for the former plan.
  if (!valid || promotion.plan?.hash !== hash) promotion.applyAt = null;
  promotion.status = valid ? 'VALIDATED' : 'DRAFT';
  if (valid) await storePlan(em, pid, { hash, sealedAt: new Date().toISOString(), items: planned.items });
  else promotion.plan = null;
  promotion.failureReason = null;
  const conflicts = promotion.conflicts.map(({ type, code, resolution }) => ({ type, code, resolution }));
  await auditPromotion(em, promotion, request, 'promotion.validate', null, {
    planHash: valid ? hash : null,
    conflicts,
  });
}

function merge(known: readonly Resolution[], added: readonly Resolution[]): Resolution[] {
  const keyOf = ({ resourcePid, type }: Resolution): string => `${resourcePid} ${type}`;
  return [...new Map([...known, ...added].map((one) => [keyOf(one), one])).values()];
}
