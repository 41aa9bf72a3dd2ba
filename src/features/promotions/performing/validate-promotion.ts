import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ResourceChecks } from '../../../platform/metadata/changes/resource-checks.ts';
import { requireStatus } from './apply-guards.ts';
import { isOpen, type Resolution } from '../plan/conflict.ts';
import { computePlan } from './compute-plan.ts';
import { conflictsInPlan } from '../plan/planner.ts';
import { auditPromotion } from '../promotion/promotion-audit.ts';
import { environmentById } from '../promotion/promotion-source.ts';
import { PromotionEntity, type Promotion, type PromotionRequest } from '../promotion/promotion.entity.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { Plan } from '../plan/state/promotion-plan.ts';

/** The dry run: everything that stands against the promotion, and without open conflicts a sealed plan. */
export async function validatePromotion(
  em: PlatformEntityManager,
  resourceChecks: ResourceChecks,
  promotion: Promotion,
  request: PromotionRequest,
): Promise<void> {
  requireStatus(promotion, 'DRAFT', 'VALIDATED', 'FAILED');
  const { autoInclude, resolutions } = request.body;
  if (autoInclude !== undefined) promotion.autoInclude = autoInclude;
  if (resolutions) promotion.resolutions = merge(promotion.resolutions, resolutions);
  const target = await environmentById(em, promotion.targetEnvId);
  const { planned, hash } = await computePlan(em, resourceChecks, promotion, target);
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

/**
 * Writes a promotion's plan past the entity manager, which would copy, compare and quote megabytes at once.
 * The entity keeps the plan that it was read with.
 */
async function storePlan(em: PlatformEntityManager, pid: string, { items, ...rest }: Plan): Promise<void> {
  const written: string[] = [];
  for (const item of items) {
    await letOthersRun();
    written.push(JSON.stringify(item));
  }
  const plan = `{"items":[${written.join(',')}],${JSON.stringify(rest).slice(1)}`;
  await em.flush();
  await sqlRunnerOf(em).query('update platform.promotion set plan = $2::json where pid = $1', [pid, plan]);
}
