import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { currentTraceId, newTraceId } from '../../../foundation/logging/trace.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import { EnvironmentEntity, type Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import {
  PROMOTION,
  PROMOTION_APPROVED,
  promotionWorkflowId,
  type PromotionInput,
} from '../../../../workflows/contracts.ts';
import { expiryOf } from '../promotion/promotion-state.ts';
import { ENDED, PromotionEntity, type Promotion } from '../promotion/promotion.entity.ts';

/**
 * Starts the workflow of a promotion, unless it has one: `restorePromotionWorkflows` may have been first.
 * @throws SERVICE_UNAVAILABLE
 */
export async function startPromotionWorkflow(
  temporal: TemporalGateway,
  promotion: Pick<Promotion, 'pid' | 'createdAt'>,
  target: Environment,
): Promise<void> {
  // One that is started again expires when the first one would have.
  const { pid } = promotion;
  const input: PromotionInput = {
    promotionPid: pid,
    expiresMs: Math.max(1, expiryOf(promotion, target) - Date.now()),
  };
  await temporal.start(PROMOTION, {
    workflowId: promotionWorkflowId(pid),
    args: [input],
    memo: { traceId: currentTraceId() ?? newTraceId() },
    attributes: { promotionPid: pid, targetEnv: target.code, promotionStatus: 'DRAFT' },
  });
}

/** Starts the workflows of all promotions that wait for something. @throws SERVICE_UNAVAILABLE */
export async function restorePromotionWorkflows(orm: PlatformOrm, temporal: TemporalGateway): Promise<void> {
  const em = orm.em.fork();
  const environments = new Map((await em.findAll(EnvironmentEntity)).map((one) => [one.id, one]));
  const isWatched = { status: 'APPLIED', soak: { status: { $in: ['WATCHING', 'ROLLING_BACK'] } } } as const;
  const waiting = await em.find(
    PromotionEntity,
    { $or: [{ status: { $nin: [...ENDED] } }, isWatched] },
    { fields: ['pid', 'createdAt', 'targetEnvId'] },
  );
  for (const promotion of waiting) {
    const target = environments.get(promotion.targetEnvId);
    if (!target) continue;
    await startPromotionWorkflow(temporal, promotion, target);
    // A new workflow knows nothing of the row. The signal makes it read: a scheduled apply, a soak to watch.
    await temporal.signal(promotionWorkflowId(promotion.pid), PROMOTION_APPROVED, { approvalPid: promotion.pid });
  }
}
