import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ResourceChecks } from '../../../platform/metadata/changes/resource-checks.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { secretNamesOf } from '../../environments/environment-secrets.service.ts';
import type { Promotion } from '../promotion/promotion.entity.ts';
import { planPromotion, type Planned } from '../plan/planner.ts';
import { hashesAppliedBy, entriesOf, readSource } from '../promotion/promotion-source.ts';
import { planHash } from '../plan/state/promotion-plan.ts';

/** Plans the promotion against its target as both are now, with the hash that seals a plan. */
export async function computePlan(
  em: PlatformEntityManager,
  resourceChecks: ResourceChecks,
  promotion: Promotion,
  { code: targetCode }: Environment,
): Promise<{ planned: Planned; hash: string }> {
  const target = await entriesOf(em, targetCode);
  const { name, entries: source, units } = await readSource(em, promotion, target);
  const { resolutions, autoInclude } = promotion;
  const overwrites = typeof promotion.sourceEnvId !== 'number';
  const appliedHashes = await hashesAppliedBy(em, promotion.rollbackOf);
  const targetSecrets = await secretNamesOf(em, targetCode);
  const input = { source, target, targetCode, targetSecrets, units, autoInclude, overwrites, appliedHashes };
  const planned = await planPromotion(em, resourceChecks, input, resolutions);
  return { planned, hash: await planHash(name, targetCode, planned.items) };
}
