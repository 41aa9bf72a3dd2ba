import { fromColumn } from '../../foundation/i18n/text-column.ts';
import { localized } from '../../foundation/i18n/text.ts';
import type { PromotionDetails } from './promotions.service.ts';

/** A promotion as the API shows it. */
export function presentPromotion({ promotion, approvals }: PromotionDetails) {
  const { pid, sourceEnvId, targetEnvId, units, status, autoInclude, resolutions, conflicts, plan } = promotion;
  const { rollbackOf, applyAt, createdBy, createdByName, createdAt } = promotion;
  const { appliedBy, appliedReason, appliedAt, failureReason } = promotion;
  return {
    pid,
    sourceEnvId: sourceEnvId ?? null,
    targetEnvId,
    units,
    status,
    autoInclude,
    resolutions,
    conflicts: conflicts.map((conflict) => ({ ...conflict, message: localized(conflict.message) })),
    plan,
    approvals: approvals.map(({ pid: approvalPid, userPid, username, comment, planHash, createdAt: at }) => ({
      pid: approvalPid,
      userPid,
      username,
      comment,
      /** An approval of an earlier plan counts for nothing. */
      valid: planHash === plan?.hash,
      createdAt: at,
    })),
    rollbackOf,
    applyAt,
    createdBy,
    createdByName,
    createdAt,
    appliedBy,
    appliedReason,
    appliedAt,
    failureReason: fromColumn(failureReason),
    soak: promotion.soak ? { ...promotion.soak, reason: localized(promotion.soak.reason) } : null,
  };
}
