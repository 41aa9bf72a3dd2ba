import { SYSTEM } from '../../../platform/audit/audit-log.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { auditPromotion } from '../promotion/promotion-audit.ts';
import { PromotionEntity, type Promotion, type PromotionRequest } from '../promotion/promotion.entity.ts';
import { reasonOf } from '../promotion/recorded-error.ts';
import { text, Text } from '../../../foundation/i18n/text.ts';

/** The applied promotion whose watch has made this one, to take it back; null for any other. */
export async function watchedBy(em: PlatformEntityManager, { pid, rollbackOf }: Promotion): Promise<Promotion | null> {
  const original = rollbackOf ? await em.findOne(PromotionEntity, { pid: rollbackOf }) : null;
  return original?.soak?.rollbackPid === pid ? original : null;
}

/** A rollback was applied, by a person or by the soak: there is nothing left to watch. */
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
  const reason = text('{problem}; it could not be rolled back: {reason_problem}', {
    problem: Text.from(original.soak.reason ?? ''),
    reason_problem: reasonOf(error),
  });
  original.soak = { ...original.soak, status: 'ROLLBACK_FAILED', reason: reason.toStored() };
  const details = { soak: 'ROLLBACK_FAILED', promotionPid: inverse.pid };
  await auditPromotion(em, original, SYSTEM, 'promotion.soak', String(reason), details);
}
