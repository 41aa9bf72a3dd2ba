import { parseReason, REASON_TEXT } from '../audit/reason.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { BOOLEAN, integer, object, partial } from '../http/schema.ts';
import type { ApprovalPolicy, Environment, PendingPolicy } from '../metadata/environment.entity.ts';
import { needsSecondPerson } from '../metadata/write-policy.ts';

/** A change that somebody asks for: the keys that are to change. */
export interface PolicyChange {
  readonly policy: Partial<ApprovalPolicy>;
  readonly reason: string;
}

/** How long a looser policy waits for the second person. */
const PROPOSAL_HOURS = 168;

const LIMITS = { minApprovals: 10, expiresHours: 8_760 } as const;

const POLICY = {
  minApprovals: integer(1, LIMITS.minApprovals),
  expiresHours: integer(1, LIMITS.expiresHours),
  selfApprove: BOOLEAN,
};
export const APPROVAL_POLICY = object(POLICY);
export const POLICY_BODY = object({ approvalPolicy: { ...partial(POLICY), minProperties: 1 }, reason: REASON_TEXT });

/** The body of a change of an environment. @throws VALIDATION_ERROR with everything that is wrong */
export function parsePolicyChange(body: Readonly<Record<string, unknown>>): PolicyChange {
  const errors: FieldErrors = {};
  for (const key of Object.keys(body)) {
    if (!['approvalPolicy', 'reason'].includes(key)) errors[key] = 'cannot be changed';
  }
  const given = body.approvalPolicy;
  const policy = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
  if (Object.keys(policy).length === 0) errors.approvalPolicy = 'must be an object with what is to change';
  for (const [key, value] of Object.entries(policy)) {
    const problem = problemOf(key, value);
    if (problem !== null) errors[`approvalPolicy.${key}`] = problem;
  }
  throwIfInvalid(errors);
  return { policy, reason: parseReason(body) };
}

function problemOf(key: string, value: unknown): string | null {
  if (key === 'selfApprove') return typeof value === 'boolean' ? null : 'must be true or false';
  if (!Object.hasOwn(LIMITS, key)) return 'is not known';
  const limit = LIMITS[key as keyof typeof LIMITS];
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limit
    ? null
    : `must be a whole number from 1 to ${limit}`;
}

export function policyOf({ minApprovals, expiresHours, selfApprove }: Environment): ApprovalPolicy {
  return { minApprovals, expiresHours, selfApprove };
}

export function isSamePolicy(a: ApprovalPolicy, b: ApprovalPolicy): boolean {
  return a.minApprovals === b.minApprovals && a.expiresHours === b.expiresHours && a.selfApprove === b.selfApprove;
}

/** Whether fewer people, or no second one, would have to agree. How long a promotion waits makes no difference to that. */
function isLooser(wanted: ApprovalPolicy, present: ApprovalPolicy): boolean {
  return wanted.minApprovals < present.minApprovals || (wanted.selfApprove && !present.selfApprove);
}

/**
 * Whether somebody may not make this change alone: where four eyes are needed, switching them off needs four eyes, too.
 * The second person agrees by asking for the same.
 */
export function waitsForSecondPerson(environment: Environment, wanted: ApprovalPolicy, userPid: string): boolean {
  if (!needsSecondPerson(environment) || !isLooser(wanted, policyOf(environment))) return false;
  return !isSecondOf(environment.pendingPolicy, wanted, userPid);
}

function isSecondOf(pending: PendingPolicy | null | undefined, wanted: ApprovalPolicy, userPid: string): boolean {
  if (!pending || pending.proposedBy === userPid || !isSamePolicy(pending.approvalPolicy, wanted)) return false;
  return Date.parse(pending.proposedAt) + PROPOSAL_HOURS * 3_600_000 > Date.now();
}
