import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Environment } from './environment.entity.ts';
import { text } from '../../../foundation/i18n/text.ts';

/**
 * Refuses what designers may not change directly. Spec: "Environment write policy and lock".
 * @throws ENVIRONMENT_LOCKED with who locked it and why, or with the policy that asks for a promotion
 */
export function requireDesignable(environment: Environment): void {
  const { locked, lockReason, lockedBy, lockedAt, writePolicy, code } = environment;
  if (locked) {
    throw new ApplicationError('ENVIRONMENT_LOCKED', {
      message: text('{environment} is locked: {reason}', { environment: code, reason: lockReason ?? '' }),
      data: { reason: 'LOCKED', lockReason, lockedBy, lockedAt },
    });
  }
  if (writePolicy !== 'open') {
    throw new ApplicationError('ENVIRONMENT_LOCKED', {
      message: text('{environment} changes only through promotion', { environment: code }),
      data: { reason: 'POLICY', writePolicy },
    });
  }
}

/** Whether designers may change an environment directly. */
export function isDesignable({ locked, writePolicy }: Pick<Environment, 'locked' | 'writePolicy'>): boolean {
  return !locked && writePolicy === 'open';
}

/**
 * Whether one person alone may not change this environment. Spec: "four-eyes check applies when the target is
 * locked".
 */
export function needsSecondPerson({ locked, writePolicy }: Pick<Environment, 'locked' | 'writePolicy'>): boolean {
  return locked || writePolicy === 'locked_with_approval';
}
