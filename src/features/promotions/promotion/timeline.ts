import { AuditEntryEntity, type AuditActor, type AuditEntry } from '../../../platform/audit/audit-entry.entity.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { localizedError, type StoredError } from '../../../foundation/errors/failure.ts';
import { PromotionEntity, PromotionRequestEntity, type Promotion, type PromotionRequest } from './promotion.entity.ts';

/** One thing that happened to a promotion. */
export interface TimelineEntry {
  readonly at: Date;
  readonly actor: AuditActor;
  readonly action: TimelineAction;
  readonly reason: string | null;
  /** The status it left the promotion in; null where it left no trace on it. */
  readonly outcome: string | null;
  /** Why it failed or was refused. */
  readonly error: ReturnType<typeof localizedError>;
  readonly [detail: string]: unknown;
}

const ACTIONS = {
  'promotion.create': 'created',
  'environment.import': 'created',
  'promotion.rollback': 'created',
  'promotion.validate': 'validated',
  'promotion.approve': 'approved',
  'promotion.reject': 'rejected',
  'promotion.cancel': 'cancelled',
  'promotion.schedule': 'apply scheduled',
  'promotion.fail': 'apply failed',
  'promotion.apply': 'applied',
  'promotion.expire': 'expired',
} as const;

const SOAK_ACTIONS = {
  PASSED: 'soak passed',
  ROLLING_BACK: 'soak failed',
  ROLLBACK_FAILED: 'soak rollback failed',
} as const;

type TimelineAction =
  | (typeof ACTIONS)[keyof typeof ACTIONS]
  | (typeof SOAK_ACTIONS)[keyof typeof SOAK_ACTIONS]
  | 'refused'
  | 'rollback created'
  | 'rolled back';

/**
 * Everything that happened to a promotion, the oldest first: from the audit trail, and from requests that
 * were refused.
 */
export async function timelineOf(em: PlatformEntityManager, { pid }: Promotion): Promise<TimelineEntry[]> {
  const inverses = (await em.find(PromotionEntity, { rollbackOf: pid })).map((inverse) => inverse.pid);
  const audited = await em.find(
    AuditEntryEntity,
    { targetPid: { $in: [pid, ...inverses] } },
    { orderBy: { id: 'asc' } },
  );
  const refused = await em.find(PromotionRequestEntity, { promotionPid: pid, error: { $ne: null } });
  const inTrail = new Set(audited.map(({ after }) => detailsOf(after).requestPid));
  const errors = new Map(refused.map((request) => [request.pid, request.error]));
  return [
    ...audited.flatMap((entry) => (entry.targetPid === pid ? ownEntry(entry, errors) : entryOfInverse(entry))),
    ...refused.filter((request) => !inTrail.has(request.pid)).map(refusedEntry),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
}

interface Details extends Partial<StoredError> {
  readonly status?: string;
  readonly requestPid?: string;
  readonly applyAt?: string;
  readonly planHash?: string | null;
  readonly conflicts?: readonly unknown[];
  /** Of an apply, how it is to be watched; of a watch, what has become of it. */
  readonly soak?: unknown;
  readonly seen?: unknown;
  readonly promotionPid?: string;
}

function detailsOf(after: unknown): Details {
  return after ?? {};
}

/** @param errors of requests, by their pids: the trail has them in English */
function ownEntry(
  entry: AuditEntry,
  errors: ReadonlyMap<string | undefined, StoredError | null | undefined>,
): TimelineEntry[] {
  const { at, actor, action, reason, after } = entry;
  if (action === 'promotion.soak') return [soakEntry(entry)];
  if (!Object.hasOwn(ACTIONS, action)) return [];
  const { soak, status = 'DRAFT', conflicts, planHash, applyAt, requestPid, ...failure } = detailsOf(after);
  const { code, message = '', data = null } = failure;
  return [
    {
      at,
      actor,
      action: ACTIONS[action as keyof typeof ACTIONS],
      reason: reason ?? null,
      outcome: status,
      error: code ? localizedError(errors.get(requestPid) ?? { code, message, data }) : null,
      ...(conflicts && { conflicts: conflicts.length }),
      ...(planHash !== undefined && { planHash }),
      ...(applyAt !== undefined && { applyAt }),
      ...(soak !== undefined && { soak }),
    },
  ];
}

function soakEntry({ at, actor, reason, after }: AuditEntry): TimelineEntry {
  const { status = 'APPLIED', soak, seen, promotionPid } = detailsOf(after);
  return {
    at,
    actor,
    action: SOAK_ACTIONS[soak as keyof typeof SOAK_ACTIONS],
    reason: reason ?? null,
    outcome: status,
    error: null,
    ...(seen !== undefined && { seen }),
    ...(promotionPid !== undefined && { promotionPid }),
  };
}

/**
 * Of a promotion that takes this one back, two things belong here: that it was made, and that it was applied.
 */
function entryOfInverse({ at, actor, action, reason, targetPid: promotionPid }: AuditEntry): TimelineEntry[] {
  const entry = { at, actor, reason: reason ?? null, outcome: null, error: null, promotionPid };
  if (action === 'promotion.rollback') return [{ ...entry, action: 'rollback created' }];
  return action === 'promotion.apply' ? [{ ...entry, action: 'rolled back' }] : [];
}

/**
 * A request that changed nothing is not in the audit trail; who waits for a promotion wants to see it all the
 * same.
 */
function refusedEntry({ createdAt, handledAt, userPid, username, kind, body, error }: PromotionRequest): TimelineEntry {
  const reason = body.reason ?? null;
  const actor = { userPid, username };
  return {
    at: handledAt ?? createdAt,
    actor,
    action: 'refused',
    request: kind,
    reason,
    outcome: null,
    error: localizedError(error ?? null),
  };
}
