import type { PlatformEntityManager } from '../database/orm.ts';
import { CONFLICT_TYPES, type Conflict } from './conflict.ts';
import type { PlanItem } from './promotion-plan.ts';
import { PromotionEntity, type Promotion } from './promotion.entity.ts';

/** Warnings for resources that another validated promotion to the same target also touches. */
export async function overlaps(
  em: PlatformEntityManager,
  { pid, targetEnvId }: Pick<Promotion, 'pid' | 'targetEnvId'>,
  items: readonly PlanItem[],
): Promise<Conflict[]> {
  const others = await em.find(PromotionEntity, { targetEnvId, status: 'VALIDATED', pid: { $ne: pid } });
  const { severity, resolutions } = CONFLICT_TYPES.OVERLAPPING_PROMOTION;
  return others.flatMap((other) =>
    items
      .filter((item) => other.plan?.items.some((touched) => touched.pid === item.pid))
      .map(({ resourceType, pid: resourcePid, code }) => ({
        type: 'OVERLAPPING_PROMOTION' as const,
        severity,
        resourceType,
        resourcePid,
        code,
        message: 'Another validated promotion touches it, too',
        details: { promotionPid: other.pid },
        resolutions,
        resolution: null,
      })),
  );
}
