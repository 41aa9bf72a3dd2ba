import { HOUR_MS } from '../../foundation/durations.ts';
import { REASON, type Reasoned } from '../../platform/audit/reason.ts';
import { BOOLEAN, integer, object, partial } from '../../foundation/validation/schema.ts';
import type {
  ApprovalPolicy,
  Environment,
  PendingPolicy,
  Proposal,
} from '../../platform/metadata/environments/environment.entity.ts';
import { personOf, type Actor } from '../../platform/auth/requests/actor.ts';
import { PROPOSAL_HOURS } from './environments.limits.ts';
import { needsSecondPerson } from '../../platform/metadata/environments/write-policy.ts';

/** A requested change: the keys that are to change. */
export interface PolicyChange extends Reasoned {
  readonly approvalPolicy: Partial<ApprovalPolicy>;
}

const POLICY = {
  minApprovals: integer(1, 10),
  expiresHours: integer(1, 8_760),
  selfApprove: BOOLEAN,
  unlockApproval: BOOLEAN,
};
export const APPROVAL_POLICY = object(POLICY);
export const POLICY_BODY = object({ approvalPolicy: { ...partial(POLICY), minProperties: 1 }, reason: REASON });

export function policyOf({ minApprovals, expiresHours, selfApprove, unlockApproval }: Environment): ApprovalPolicy {
  return { minApprovals, expiresHours, selfApprove, unlockApproval };
}

export function isSamePolicy(a: ApprovalPolicy, b: ApprovalPolicy): boolean {
  return (
    a.minApprovals === b.minApprovals &&
    a.expiresHours === b.expiresHours &&
    a.selfApprove === b.selfApprove &&
    a.unlockApproval === b.unlockApproval
  );
}

/**
 * Whether fewer people, or no second one, would have to agree. How long a promotion waits makes no difference
 * to that.
 */
function isLooser(wanted: ApprovalPolicy, present: ApprovalPolicy): boolean {
  return (
    wanted.minApprovals < present.minApprovals ||
    (wanted.selfApprove && !present.selfApprove) ||
    (!wanted.unlockApproval && present.unlockApproval)
  );
}

/**
 * Whether this change needs a second person: where four eyes are needed, switching them off needs four eyes.
 * The second person agrees by asking for the same.
 */
export function waitsForSecondPerson(environment: Environment, wanted: ApprovalPolicy, userPid: string): boolean {
  if (!needsSecondPerson(environment) || !isLooser(wanted, policyOf(environment))) return false;
  return !isSecondOf(environment.pendingPolicy, wanted, userPid);
}

function isSecondOf(pending: PendingPolicy | null | undefined, wanted: ApprovalPolicy, userPid: string): boolean {
  return isAgreement(pending, userPid) && isSamePolicy(pending.approvalPolicy, wanted);
}

/** Whether a person who asks for what was proposed is a second one, and in time. */
export function isAgreement<P extends Proposal>(pending: P | null | undefined, userPid: string): pending is P {
  if (!pending || pending.proposedBy === userPid) return false;
  return Date.parse(pending.proposedAt) + PROPOSAL_HOURS * HOUR_MS > Date.now();
}

/** What a person proposes, to be agreed to by another one. */
export function proposalOf(actor: Actor, reason: string): Proposal {
  const { username: proposedByName } = actor;
  return { proposedBy: personOf(actor), proposedByName, proposedAt: new Date().toISOString(), reason };
}
