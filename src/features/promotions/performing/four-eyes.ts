import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { needsSecondPerson } from '../../../platform/metadata/environments/write-policy.ts';

/** How many people a promotion needs, and how many more before one of them may apply it. */
export interface Agreement {
  readonly needed: number;
  readonly missing: number;
}

type Target = Pick<Environment, 'locked' | 'writePolicy' | 'minApprovals' | 'selfApprove'>;

/** Who has had a hand in a promotion, by user pid. */
export interface Participants {
  readonly creator: string;
  /** Those who approved the plan that is to be applied. */
  readonly approvers: readonly string[];
  readonly applier: string;
}

/** Whether someone may approve a promotion of the creator: their own only where the target says so. */
export function mayApprove({ selfApprove }: Pick<Target, 'selfApprove'>, creator: string, userPid: string): boolean {
  return selfApprove || userPid !== creator;
}

export function agreementOf(target: Target, participants: Participants): Agreement {
  const needed = needsSecondPerson(target) ? target.minApprovals : 0;
  return { needed, missing: missingApprovals(target, participants) };
}

/**
 * How many more people must agree. Each person counts once, for approving or for applying; the creator
 * only where the environment allows it.
 */
export function missingApprovals(target: Target, { creator, approvers, applier }: Participants): number {
  if (!needsSecondPerson(target)) return 0;
  const agreed = new Set([...approvers, applier]);
  if (!target.selfApprove) agreed.delete(creator);
  return Math.max(0, target.minApprovals - agreed.size);
}
