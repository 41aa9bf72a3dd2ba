import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/validation/canonical-json.ts';
import type { AuditEntry } from './audit-entry.entity.ts';

/** What the first entry of the chain follows. */
export const GENESIS = '0'.repeat(64);

/** Everything an entry says. Its hash covers all of it, and the hash of the entry before. */
export type AuditContent = Omit<AuditEntry, 'hash'>;

/** SHA-256 over the canonical JSON of the entry with its predecessor's hash in it, as 64 hex digits. */
export function auditHash(entry: AuditContent): string {
  const {
    id,
    pid,
    at,
    actor,
    action,
    targetType,
    targetPid,
    environment,
    reason,
    before,
    after,
    traceId,
    previousHash,
  } = entry;
  const content = { id, pid, at: at.toISOString(), actor, action, targetType, targetPid };
  const rest = { environment, reason, before, after, traceId, previousHash };
  return createHash('sha256')
    .update(canonicalJson({ ...content, ...rest }))
    .digest('hex');
}
