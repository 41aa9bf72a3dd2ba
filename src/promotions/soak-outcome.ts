import { SYSTEM } from '../audit/audit-log.ts';
import type { PlatformEntityManager } from '../database/orm.ts';
import type { ApplicationError } from '../errors/application-error.ts';
import { auditPromotion } from './promotion-audit.ts';
import { PromotionEntity, type Promotion, type PromotionRequest } from './promotion.entity.ts';
import { reasonOf } from './refusal.ts';

/** The applied promotion whose watch has made this one, to take it back; null for any other. */
export async function watchedBy(em: PlatformEntityManager, { pid, rollbackOf }: Promotion): Promise<Promotion | null> {
  const original = rollbackOf ? await em.findOne(PromotionEntity, { pid: rollbackOf }) : null;
  return original?.soak?.rollbackPid === pid ? original : null;
}

/** A rollback was applied: whoever made it, there is nothing left to watch. */
export async function noteRollback(em: PlatformEntityManager, { pid, rollbackOf }: Promotion): Promise<void> {
  const original = rollbackOf ? await em.findOne(PromotionEntity, { pid: rollbackOf }) : null;
  if (!original?.soak || original.soak.status === 'PASSED') return;
  original.soak = { ...original.soak, status: 'ROLLED_BACK', rollbackPid: pid };
}

/** The program could not take back what it watched: people must. */
export async function noteFailedRollback(
  em: PlatformEntityManager,
  inverse: Promotion,
  { userPid }: PromotionRequest,
  error: ApplicationError,
): Promise<void> {
  if (userPid !== SYSTEM.userPid) return;
  const original = await watchedBy(em, inverse);
  if (!original?.soak) return;
  const reason = `${original.soak.reason ?? ''}; it could not be rolled back: ${reasonOf(error)}`;
  original.soak = { ...original.soak, status: 'ROLLBACK_FAILED', reason };
  const details = { soak: 'ROLLBACK_FAILED', promotionPid: inverse.pid };
  await auditPromotion(em, original, SYSTEM, 'promotion.soak', reason, details);
}
