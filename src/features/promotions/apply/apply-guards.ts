import { SYSTEM } from '../../../platform/audit/audit-log.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { ApplicationError, type ErrorData } from '../../../foundation/errors/application-error.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { missingApprovals } from './four-eyes.ts';
import { watchedBy } from '../soak/soak-outcome.ts';
import type { Planned } from '../plan/planner.ts';
import type { Plan } from '../plan/state/promotion-plan.ts';
import {
  PromotionApprovalEntity,
  type Promotion,
  type PromotionRequest,
  type PromotionStatus,
} from '../promotion.entity.ts';
import { text } from '../../../foundation/i18n/text.ts';

const CONSENT_REQUIRED = 'CONSENT_REQUIRED';

/** The apply was not allowed as it was asked for; nothing is wrong with the promotion. */
export function isRefusal({ code, data }: ApplicationError): boolean {
  return code === 'PROMOTION_STATE' || code === 'FOUR_EYES_REQUIRED' || data?.reason === CONSENT_REQUIRED;
}

export function requireStatus({ status }: Promotion, ...allowed: PromotionStatus[]): void {
  if (allowed.includes(status)) return;
  const message = text('The promotion is {status}; this is possible for {states}', {
    status,
    states: allowed.join(', '),
  });
  throw new ApplicationError('PROMOTION_STATE', { message, data: { status } });
}

/** Data gets out of reach or out of use only with consent: as a resolution, or with the apply itself. */
export function requireConsent({ conflicts }: Planned, { promotionPid, body }: PromotionRequest): void {
  const consent = new Set((body.consent as string[] | undefined) ?? []);
  const open = conflicts.filter(
    ({ severity, resolution, resourcePid }) =>
      severity === 'consent' && resolution === null && !consent.has(resourcePid),
  );
  if (open.length === 0) return;
  const resources = open.map(({ resourcePid, code, message: why }) => ({ resourcePid, code, message: why }));
  throw consentRequired({ promotionPid, resources });
}

export function consentRequired(data: ErrorData): ApplicationError {
  const message = 'Data would get out of reach or out of use: consent to it per resource';
  return new ApplicationError('CONFLICT', { message, data: { reason: CONSENT_REQUIRED, ...data } });
}

/**
 * Approvals are read from their rows, in the transaction of the apply: what came through Temporal proves
 * nothing.
 */
export async function requireFourEyes(
  em: PlatformEntityManager,
  promotion: Promotion,
  target: Environment,
  request: PromotionRequest,
): Promise<void> {
  const watched = await watchedBy(em, promotion);
  // Whoever had it applied with a watch has agreed, under these same rules, that it is taken back.
  if (watched && request.userPid === SYSTEM.userPid) return;
  const { pid, plan } = promotion;
  const approvals = await em.find(PromotionApprovalEntity, { promotionPid: pid, planHash: (plan as Plan).hash });
  // Nobody counts as the second person beside a program that acts in their name.
  const creator = (watched ? watched.appliedBy : null) ?? promotion.createdBy;
  const hands = { creator, approvers: approvals.map(({ userPid }) => userPid), applier: request.userPid };
  const missing = missingApprovals(target, hands);
  if (missing > 0) throw new ApplicationError('FOUR_EYES_REQUIRED', { data: { missingApprovals: missing } });
}
