import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { localized } from '../../../foundation/i18n/text.ts';
import { consentRequired } from '../performing/apply-guards.ts';
import { isOpen, type Conflict, type Resolution } from '../plan/conflict.ts';
import { nameOf } from '../promotion/manifests.ts';

export function stale(): ApplicationError {
  return new ApplicationError('STALE_PLAN', {
    message: 'The environment has changed since the plan was shown: look at the new plan, then apply again',
  });
}

export function openConflicts(conflicts: readonly Conflict[]): ApplicationError {
  return new ApplicationError('PROMOTION_CONFLICT', { data: { conflicts: conflicts.filter(isOpen).map(localize) } });
}

/** A conflict with its message in the caller's language. */
export function localize(conflict: Conflict) {
  return { ...conflict, message: localized(conflict.message) };
}

/**
 * @param allowed names, `TYPE/code`
 * @throws CONFLICT (CONSENT_REQUIRED) naming the resources without consent
 */
export function consentTo(conflicts: readonly Conflict[], allowed: readonly string[]): Resolution[] {
  const destructive = conflicts.filter(({ severity }) => severity === 'consent');
  const open = destructive.filter((one) => !allowed.includes(nameOf(one)));
  if (open.length > 0) {
    const resources = open.map(({ resourceType, resourcePid, code, message }) => {
      return { resourceType, resourcePid, code, message: localized(message) };
    });
    throw consentRequired({ resources });
  }
  return destructive.map(({ type, resourcePid }) => ({ type, resourcePid, resolution: 'use_source' }));
}
