import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const WRITE_POLICIES = ['open', 'locked', 'locked_with_approval'] as const;

/** Who must agree before something is applied in an environment. */
export interface ApprovalPolicy {
  /** How many people other than the creator must agree, where one alone is not enough. */
  readonly minApprovals: number;
  /** How long a promotion waits for its approvals and its apply. */
  readonly expiresHours: number;
  /** Whether the creator counts, too. */
  readonly selfApprove: boolean;
  /** Whether unlocking takes a second person while a promotion into the environment is open. */
  readonly unlockApproval: boolean;
}

/** What one person has asked for and what waits for a second one. */
export interface Proposal {
  readonly proposedBy: string;
  readonly proposedByName: string;
  readonly proposedAt: string;
  readonly reason: string;
}

/** A looser policy that waits for a second person. */
export interface PendingPolicy extends Proposal {
  readonly approvalPolicy: ApprovalPolicy;
}

/**
 * One of `dev`, `staging`, `prod`: a Postgres schema with the model tables published there, a write policy
 * and a lock. Spec: "Environment write policy and lock".
 */
export const EnvironmentEntity = defineEntity({
  name: 'Environment',
  tableName: 'environment',
  properties: {
    id: p.integer().primary(),
    pid: p.string().length(32).unique(),
    code: p.string().length(16).unique(),
    name: p.string().length(100),
    writePolicy: p.enum([...WRITE_POLICIES]),
    locked: p.boolean().default(false),
    lockReason: p.text().nullable(),
    lockedBy: p.string().length(32).nullable(),
    lockedAt: p.datetime(3).nullable(),
    /**
     * Grows with every change of the environment's resources; nodes reload their snapshot when it differs.
     */
    metadataVersion: p.integer().default(0),
    /** How many people other than the creator must approve what is applied here while it is locked. */
    minApprovals: p.integer().default(1),
    /** How long a validated promotion waits for its approvals and its apply. */
    expiresHours: p.integer().default(168),
    /** Whether the creator's own approval counts. */
    selfApprove: p.boolean().default(false),
    unlockApproval: p.boolean().default(false),
    pendingUnlock: p.json<Proposal>().columnType('json').nullable(),
    pendingPolicy: p.json<PendingPolicy>().columnType('json').nullable(),
  },
});

export type Environment = InferEntity<typeof EnvironmentEntity>;
