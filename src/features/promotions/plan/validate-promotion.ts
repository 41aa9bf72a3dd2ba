import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { secretNamesOf } from '../../environments/environment-secrets.service.ts';
import type { ChangeSets } from '../../../platform/metadata/changes/change-set.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { requireStatus } from '../apply/apply-guards.ts';
import { isOpen, type Resolution } from './conflict.ts';
import { conflictsInPlan, planPromotion, type Planned } from './planner.ts';
import { auditPromotion } from '../apply/promotion-audit.ts';
import { planHash } from './state/promotion-plan.ts';
import { storePlan } from './store-plan.ts';
import { contentsLeftBy, entriesOf, environmentById, readSource } from './promotion-source.ts';
import { PromotionEntity, type Promotion, type PromotionRequest } from '../promotion.entity.ts';

/** The dry run: everything that stands against the promotion, and without open conflicts a sealed plan. */
export async function validatePromotion(
  em: PlatformEntityManager,
  changeSets: ChangeSets,
  promotion: Promotion,
  request: PromotionRequest,
): Promise<void> {
  requireStatus(promotion, 'DRAFT', 'VALIDATED', 'FAILED');
  const { autoInclude, resolutions } = request.body as { autoInclude?: boolean; resolutions?: Resolution[] };
  if (autoInclude !== undefined) promotion.autoInclude = autoInclude;
  if (resolutions) promotion.resolutions = merge(promotion.resolutions, resolutions);
  const target = await environmentById(em, promotion.targetEnvId);
  const { planned, hash } = await computePlan(em, changeSets, promotion, target);
  const { pid, targetEnvId } = promotion;
  const others = await em.find(PromotionEntity, { targetEnvId, status: 'VALIDATED', pid: { $ne: pid } });
  promotion.conflicts = [...planned.conflicts, ...conflictsInPlan(planned.items, others)];
  const valid = !promotion.conflicts.some(isOpen);
  // Whoever scheduled the apply of a plan did not mean another one.
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

/** What the promotion would do to its target as both are now, with the hash by which a plan is sealed. */
export async function computePlan(
  em: PlatformEntityManager,
  changeSets: ChangeSets,
  promotion: Promotion,
  { code: targetCode }: Environment,
): Promise<{ planned: Planned; hash: string }> {
  const target = await entriesOf(em, targetCode);
  const { name, entries: source, units } = await readSource(em, promotion, target);
  const { resolutions, autoInclude } = promotion;
  const overwrites = typeof promotion.sourceEnvId !== 'number';
  const left = await contentsLeftBy(em, promotion.rollbackOf);
  const targetSecrets = await secretNamesOf(em, targetCode);
  const input = { source, target, targetCode, targetSecrets, units, autoInclude, overwrites, left };
  const planned = await planPromotion(em, changeSets, input, resolutions);
  return { planned, hash: await planHash(name, targetCode, planned.items) };
}

function merge(known: readonly Resolution[], added: readonly Resolution[]): Resolution[] {
  const keyOf = ({ resourcePid, type }: Resolution): string => `${resourcePid} ${type}`;
  return [...new Map([...known, ...added].map((one) => [keyOf(one), one])).values()];
}
