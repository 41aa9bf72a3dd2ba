import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * One of `dev`, `staging`, `prod`: a Postgres schema with the model tables published there, a write policy and a lock.
 * Spec: "Environment write policy and lock".
 */
export const EnvironmentEntity = defineEntity({
  name: 'Environment',
  tableName: 'environment',
  properties: {
    id: p.integer().primary(),
    pid: p.string().length(32).unique(),
    code: p.string().length(16).unique(),
    name: p.string().length(100),
    writePolicy: p.enum(['open', 'locked', 'locked_with_approval']),
    locked: p.boolean().default(false),
    lockReason: p.text().nullable(),
    lockedBy: p.string().length(32).nullable(),
    lockedAt: p.datetime(3).nullable(),
    /** Grows with every change of the environment's resources; nodes reload their snapshot when it differs. */
    metadataVersion: p.integer().default(0),
    /** How many people other than the creator must approve what is applied here while it is locked. */
    minApprovals: p.integer().default(1),
    /** How long a validated promotion waits for its approvals and its apply. */
    expiresHours: p.integer().default(168),
    /** Whether the creator's own approval counts. */
    selfApprove: p.boolean().default(false),
  },
});

export type Environment = InferEntity<typeof EnvironmentEntity>;
