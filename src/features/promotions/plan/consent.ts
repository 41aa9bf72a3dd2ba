import { ApplicationError, type ErrorData } from '../../../foundation/errors/application-error.ts';
import type { PromotionRequest } from '../promotion.entity.ts';
import type { Planned } from './planner.ts';

export const CONSENT_REQUIRED = 'CONSENT_REQUIRED';

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
