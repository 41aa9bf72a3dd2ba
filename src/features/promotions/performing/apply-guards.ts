import { SYSTEM } from '../../../platform/audit/audit-log.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { ApplicationError, type ErrorData } from '../../../foundation/errors/application-error.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { missingApprovals } from './four-eyes.ts';
import { watchedBy } from './soak-outcome.ts';
import type { Plan } from '../plan/state/promotion-plan.ts';
import {
  PromotionApprovalEntity,
  type Promotion,
  type PromotionRequest,
  type PromotionStatus,
} from '../promotion/promotion.entity.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Planned } from '../plan/planner.ts';

/** Whether an apply was refused although the promotion itself is valid. */
export function isRefusal({ code, data }: ApplicationError): boolean {
  const reasons: readonly unknown[] = [CONSENT_REQUIRED, OTHER_PLAN];
  return code === 'PROMOTION_STATE' || code === 'FOUR_EYES_REQUIRED' || reasons.includes(data?.reason);
}

export function requireStatus({ status }: Promotion, ...allowed: PromotionStatus[]): void {
  if (allowed.includes(status)) return;
  const message = text('The promotion is {status}; this is possible for {states}', {
    status,
    states: allowed.join(', '),
  });
  throw new ApplicationError('PROMOTION_STATE', { message, data: { status } });
}

const OTHER_PLAN = 'OTHER_PLAN';

/** Who names the plan that they have looked at agrees to no other one. */
export function requireSamePlan({ plan }: Promotion, { body: { planHash } }: PromotionRequest): void {
  if (planHash === undefined || planHash === plan?.hash) return;
  const message = 'Another plan has been made since: look at it first';
  throw new ApplicationError('STALE_PLAN', { message, data: { reason: OTHER_PLAN, planHash: plan?.hash ?? null } });
}

/** Approvals are read from their rows, in the transaction of the apply: Temporal is not trusted with them. */
export async function requireFourEyes(
  em: PlatformEntityManager,
  promotion: Promotion,
  target: Environment,
  request: PromotionRequest,
): Promise<void> {
  const watched = await watchedBy(em, promotion);
  // Applying with a soak included consent, under these same rules, to the rollback.
  if (watched && request.userPid === SYSTEM.userPid) return;
  const { pid, plan } = promotion;
  const approvals = await em.find(PromotionApprovalEntity, { promotionPid: pid, planHash: (plan as Plan).hash });
  // A program counts as its owner: the owner is no second person.
  const creator = (watched ? watched.appliedBy : null) ?? promotion.createdBy;
  const participants = { creator, approvers: approvals.map(({ userPid }) => userPid), applier: request.userPid };
  const missing = missingApprovals(target, participants);
  if (missing > 0) throw new ApplicationError('FOUR_EYES_REQUIRED', { data: { missingApprovals: missing } });
}

const CONSENT_REQUIRED = 'CONSENT_REQUIRED';

/** Data gets out of reach or out of use only with consent: as a resolution, or with the apply itself. */
export function requireConsent({ conflicts }: Planned, { promotionPid, body }: PromotionRequest): void {
  const consent = new Set(body.consent);
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
