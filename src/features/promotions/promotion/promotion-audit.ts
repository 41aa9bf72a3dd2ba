import { appendAudit, type AuditAction } from '../../../platform/audit/audit-log.ts';
import type { AuditActor } from '../../../platform/audit/audit-entry.entity.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { environmentById } from './promotion-source.ts';
import type { Promotion, PromotionRequest } from './promotion.entity.ts';

/** Writes down what was done to a promotion, with the status it has now. */
export async function auditPromotion(
  em: PlatformEntityManager,
  { pid, targetEnvId, status }: Promotion,
  actor: AuditActor,
  action: AuditAction,
  reason: string | null,
  details: Record<string, unknown> = {},
): Promise<void> {
  const { code: environment } = await environmentById(em, targetEnvId);
  const fact = { actor, action, targetType: 'promotion', targetPid: pid, environment, reason } as const;
  await appendAudit(em, { ...fact, after: { status, ...details } });
}

/** An apply that failed. The entry names its request, whose own row has the same error. */
export async function auditFailure(
  em: PlatformEntityManager,
  promotion: Promotion,
  request: PromotionRequest,
  error: ApplicationError,
): Promise<void> {
  const { code, message, data } = error;
  const details = { requestPid: request.pid, code, message, data };
  await auditPromotion(em, promotion, request, 'promotion.fail', String(request.body.reason), details);
}
