import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager } from '../database/orm.ts';
import { notFound } from '../errors/application-error.ts';
import type { PromotionState } from '../../workflows/contracts.ts';
import { PromotionEntity, PromotionRequestEntity, type Promotion, type PromotionRequest } from './promotion.entity.ts';

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
  return { status, applyAt: (scheduled && applyAt?.getTime()) ?? null, applyRequestPid: scheduled?.pid ?? null };
}

export function isScheduled({ applyAt }: Promotion, { body }: PromotionRequest): boolean {
  return applyAt !== null && applyAt !== undefined && body.applyAt === applyAt.toISOString();
}
