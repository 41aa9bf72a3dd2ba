import { AUDIT_BATCH } from './audit.limits.ts';
import { QueryOrder } from '@mikro-orm/core';
import { boundedRead } from '../../foundation/database/entity-reads.ts';
import { newPid } from '../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import { currentTraceId } from '../../foundation/logging/trace.ts';
import { AuditEntryEntity, type AuditActor, type AuditEntry } from './audit-entry.entity.ts';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/validation/canonical-json.ts';

/** What the first entry of the chain follows. */
const GENESIS = '0'.repeat(64);

/** Everything an entry says. Its hash covers all of it, and the hash of the entry before. */
type AuditContent = Omit<AuditEntry, 'hash'>;

/** SHA-256 over the canonical JSON of the entry with its predecessor's hash in it, as 64 hex digits. */
function auditHash(entry: AuditContent): string {
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

/** What is told of. The console has words for each. */
export const AUDIT_ACTIONS = [
  'environment.lock',
  'environment.unlock',
  'environment.unlock.propose',
  'environment.export',
  'environment.import',
  'environment.apply',
  'environment.policy',
  'environment.policy.propose',
  'environment.policy.withdraw',
  'environment.secret.set',
  'environment.secret.delete',
  'environment.fields.drop',
  'environment.reset',
  'promotion.create',
  'promotion.validate',
  'promotion.approve',
  'promotion.reject',
  'promotion.cancel',
  'promotion.schedule',
  'promotion.apply',
  'promotion.fail',
  'promotion.rollback',
  'promotion.expire',
  'promotion.soak',
  'metadata.save',
  'metadata.delete',
  'record.purge',
  'datasource.test',
  'user.create',
  'user.update',
  'user.reset',
  'user.password',
  'user.session-reuse',
  'service-account.create',
  'service-account.delete',
  'service-account.adopt',
  'service-account.key-create',
  'service-account.key-revoke',
  'tenant.create',
  'tenant.update',
  'webhook.create',
  'webhook.update',
  'webhook.delete',
  'webhook.enable',
  'webhook.disable',
  'webhook.adopt',
  'webhook.rotate-secret',
  'im.bind',
  'im.unbind',
  'im.adopt',
  'secrets.reseal',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditFact {
  readonly actor: AuditActor;
  readonly action: AuditAction;
  readonly targetType:
    | 'environment'
    | 'promotion'
    | 'resource'
    | 'record'
    | 'webhook'
    | 'im_channel'
    | 'user'
    | 'tenant'
    | 'service-account'
    | 'installation';
  readonly targetPid: string;
  readonly environment: string | null;
  readonly reason?: string | null;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The actor of what the program does by itself. No person has this pid. */
export const SYSTEM: AuditActor = { userPid: 'system', username: 'system' };

/** One writer at a time: the chain has one end. Any number that is used for nothing else. */
const CHAIN_LOCK = 7_203_655_311;

/** Appends an entry in the transaction of what it tells of: both are there, or neither. */
export async function appendAudit(em: PlatformEntityManager, fact: AuditFact): Promise<void> {
  // Lock rows first: the holder of the end of the chain must never wait for another lock.
  await em.flush();
  await sqlRunnerOf(em).query('select pg_advisory_xact_lock($1)', [CHAIN_LOCK]);
  const [last] = await em.find(AuditEntryEntity, {}, { orderBy: { id: QueryOrder.DESC }, limit: 1 });
  const content = {
    id: String(BigInt(last?.id ?? '0') + 1n),
    pid: newPid(),
    at: new Date(),
    actor: { userPid: fact.actor.userPid, username: fact.actor.username },
    action: fact.action,
    targetType: fact.targetType,
    targetPid: fact.targetPid,
    environment: fact.environment,
    reason: fact.reason ?? null,
    before: fact.before ?? null,
    after: fact.after ?? null,
    traceId: currentTraceId() ?? null,
    previousHash: last?.hash ?? GENESIS,
  };
  em.create(AuditEntryEntity, { ...content, hash: auditHash(content) });
  await em.flush();
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly targetPid?: string | undefined;
  readonly environment?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

interface AuditVerification {
  readonly ok: boolean;
  readonly entries: number;
  /** The pid of the first entry that does not fit the one before it. */
  readonly brokenAt: string | null;
}

/** Reads the audit trail. */
export class AuditLog {
  readonly #orm: PlatformOrm;

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  /** A page of entries, the newest first. */
  async list(
    filter: AuditFilter,
    pageNum: number,
    pageSize: number,
  ): Promise<{ records: AuditEntry[]; total: number }> {
    const page = { orderBy: { id: QueryOrder.DESC }, limit: pageSize, offset: (pageNum - 1) * pageSize };
    const [records, total] = await boundedRead(() =>
      this.#orm.em.fork().findAndCount(AuditEntryEntity, where(filter), page),
    );
    return { records, total };
  }

  /** All entries that fit, the oldest first, in batches: an export never holds the whole trail in memory. */
  async *each(filter: AuditFilter = {}): AsyncGenerator<AuditEntry> {
    for (let after = '0'; ;) {
      const batch = await this.#orm.em.fork().find(
        AuditEntryEntity,
        { $and: [where(filter), { id: { $gt: after } }] },
        {
          orderBy: { id: QueryOrder.ASC },
          limit: AUDIT_BATCH,
        },
      );
      yield* batch;
      const last = batch.at(-1);
      if (!last || batch.length < AUDIT_BATCH) return;
      after = last.id;
    }
  }

  /**
   * Walks the whole chain: each entry must have the hash of its content, number the next, and name its
   * predecessor.
   */
  async verify(): Promise<AuditVerification> {
    let entries = 0;
    let previous = { id: 0n, hash: GENESIS };
    for await (const entry of this.each()) {
      const { hash, ...content } = entry;
      const fits = entry.previousHash === previous.hash && BigInt(entry.id) === previous.id + 1n;
      if (!fits || auditHash(content) !== hash) return { ok: false, entries, brokenAt: entry.pid };
      entries += 1;
      previous = { id: BigInt(entry.id), hash };
    }
    return { ok: true, entries, brokenAt: null };
  }
}

function where({ actor, action, targetPid, environment, since, until }: AuditFilter) {
  return {
    ...(actor !== undefined && { actor: { userPid: actor } }),
    ...(action !== undefined && { action: action.endsWith('*') ? { $like: startingWith(action) } : action }),
    ...(targetPid !== undefined && { targetPid }),
    ...(environment !== undefined && { environment }),
    ...((since || until) && { at: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
  };
}

function startingWith(action: string): string {
  return `${action.slice(0, -1).replace(/[\\%_]/g, '\\$&')}%`;
}
