import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Who acted. */
export interface AuditActor {
  readonly userPid: string;
  readonly username: string;
}

/**
 * One thing that was done to the platform, chained to the one before it by hash. Append-only: a trigger
 * refuses update, delete and truncate. Spec: "The promotion audit trail is append-only".
 */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: p.bigint('string').primary(),
    pid: p.string().length(32).unique(),
    at: p.datetime(3),
    actor: p.json<AuditActor>().columnType('json'),
    action: p.string().length(64),
    targetType: p.string().length(32),
    targetPid: p.string().length(100),
    environment: p.string().length(16).nullable(),
    reason: p.text().nullable(),
    before: p.json<unknown>().columnType('json').nullable(),
    after: p.json<unknown>().columnType('json').nullable(),
    traceId: p.string().length(32).nullable(),
    previousHash: p.string().length(64),
    hash: p.string().length(64),
  },
});

export type AuditEntry = InferEntity<typeof AuditEntryEntity>;
