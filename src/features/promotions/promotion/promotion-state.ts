import { HOUR_MS } from '../../../foundation/durations.ts';
import { SYSTEM } from '../../../platform/audit/audit-log.ts';
import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import type { PromotionState } from '../../../../workflows/contracts.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { environmentById } from './promotion-source.ts';
import {
  ENDED,
  PromotionEntity,
  PromotionRequestEntity,
  type Promotion,
  type PromotionRequest,
} from './promotion.entity.ts';
import { lookEveryMs } from './soak.ts';

/** The promotion's row, held until the transaction ends. @throws NOT_FOUND */
export async function lockPromotion(em: PlatformEntityManager, pid: string): Promise<Promotion> {
  const promotion = await em.findOne(PromotionEntity, { pid }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!promotion) throw notFound('There is no such promotion');
  return promotion;
}

/** Where the promotion stands, and which apply, if any, waits to be due. */
export async function stateOf(em: PlatformEntityManager, promotion: Promotion): Promise<PromotionState> {
  const { pid: promotionPid, status, applyAt } = promotion;
  const waiting = applyAt
    ? await em.find(PromotionRequestEntity, { promotionPid, kind: 'apply', handledAt: null })
    : [];
  const scheduled = waiting.find((request) => isScheduled(promotion, request));
  const schedule = { applyAt: (scheduled && applyAt?.getTime()) ?? null, applyRequestPid: scheduled?.pid ?? null };
  const expiry = ENDED.includes(status)
    ? {}
    : { expiresAt: expiryOf(promotion, await environmentById(em, promotion.targetEnvId)) };
  return { status, ...schedule, ...expiry, ...(await watchOf(em, promotion)) };
}

/** When a promotion expires: so long after its creation as its target allows, in milliseconds since 1970. */
export function expiryOf(
  { createdAt }: Pick<Promotion, 'createdAt'>,
  { expiresHours }: Pick<Environment, 'expiresHours'>,
): number {
  return createdAt.getTime() + expiresHours * HOUR_MS;
}

/** What the workflow of an applied promotion still has to do: look again, or have it taken back. */
async function watchOf(
  em: PlatformEntityManager,
  { soak, targetEnvId }: Promotion,
): Promise<Pick<PromotionState, 'soak' | 'rollback'>> {
  if (soak?.status === 'WATCHING') return { soak: { until: Date.parse(soak.until), everyMs: lookEveryMs(soak) } };
  if (soak?.status !== 'ROLLING_BACK' || !soak.rollbackPid) return {};
  const promotionPid = soak.rollbackPid;
  const requests = await em.find(
    PromotionRequestEntity,
    { promotionPid, userPid: SYSTEM.userPid },
    // First validate, then apply.
    { orderBy: { kind: 'desc' } },
  );
  const { code: targetEnv, expiresHours } = await environmentById(em, targetEnvId);
  const requestPids = requests.map(({ pid }) => pid);
  return { rollback: { promotionPid, requestPids, targetEnv, expiresMs: expiresHours * HOUR_MS } };
}

export function isScheduled({ applyAt }: Promotion, { body }: PromotionRequest): boolean {
  return applyAt !== null && applyAt !== undefined && body.applyAt === applyAt.toISOString();
}
