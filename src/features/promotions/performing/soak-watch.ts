import { appendAudit, SYSTEM } from '../../../platform/audit/audit-log.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { isTransient } from '../../../foundation/database/failures.ts';
import { countPostponed } from '../../../platform/events/outbox/outbox-state.ts';
import { countEnded } from '../../commands/executions/execution-store.ts';
import { ERROR_CATALOGUE } from '../../../foundation/errors/catalogue.ts';
import { Text } from '../../../foundation/i18n/text.ts';
import { newTraceId } from '../../../foundation/logging/trace.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { PromotionState } from '../../../../workflows/contracts.ts';
import { inverseOf } from '../promotion/inverse.ts';
import { auditPromotion } from '../promotion/promotion-audit.ts';
import { environmentById } from '../promotion/promotion-source.ts';
import { lockPromotion, stateOf } from '../promotion/promotion-state.ts';
import { PromotionEntity, PromotionRequestEntity, type Promotion } from '../promotion/promotion.entity.ts';
import { judge, type Observation } from '../promotion/soak.ts';

/** The names of the shared dependencies that are down. */
type HealthCheck = () => Promise<readonly string[]>;

/** Codes of failures that are the program's own, not the caller's. */
const FAULTS = Object.entries(ERROR_CATALOGUE).flatMap(([code, { status }]) => (status >= 500 ? [code] : []));

interface SoakParts {
  readonly orm: PlatformOrm;
  readonly snapshots: SnapshotCache;
  readonly health: HealthCheck;
}

/**
 * Looks once at an applied promotion that is watched. When it has made the target ill, the inverse promotion
 * is made in the same transaction, with the requests to validate and to apply it: they are the state's
 * `rollback`. Looking again gives the same.
 */
export async function lookAtSoak(parts: SoakParts, promotionPid: string): Promise<PromotionState> {
  const em = parts.orm.em.fork();
  const promotion = await em.findOneOrFail(PromotionEntity, { pid: promotionPid });
  if (promotion.soak?.status !== 'WATCHING') return stateOf(em, promotion);
  const seen = await observe(parts, em, promotion);
  return parts.orm.em.fork().transactional(async (transaction) => {
    const held = await lockPromotion(transaction, promotionPid);
    if (held.soak?.status === 'WATCHING') await conclude(transaction, held, seen);
    return stateOf(transaction, held);
  });
}

async function observe(
  { snapshots, health }: SoakParts,
  em: PlatformEntityManager,
  { targetEnvId, appliedAt }: Promotion,
): Promise<Observation> {
  const { code } = await environmentById(em, targetEnvId);
  const runner = sqlRunnerOf(em);
  const [away, serves] = await Promise.all([
    health(),
    // A dependency that is away is not the promotion's doing.
    snapshots.current(code).then(() => true, isTransient),
  ]);
  const { commands, failed } = await countEnded(runner, code, appliedAt as Date, FAULTS);
  const unmatched = await countPostponed(runner, code, appliedAt as Date);
  const down = serves ? [] : [`metadata of ${code}`];
  return { commands, failed: failed + unmatched, down, away };
}

async function conclude(em: PlatformEntityManager, promotion: Promotion, seen: Observation): Promise<void> {
  const { soak } = promotion;
  if (!soak) return;
  const after = judge(soak, seen, new Date());
  promotion.soak = after;
  if (after.status === 'WATCHING') return;
  const { status } = after;
  const reason = after.reason && String(Text.from(after.reason));
  const details = { soak: status, seen };
  if (status !== 'ROLLING_BACK') return auditPromotion(em, promotion, SYSTEM, 'promotion.soak', reason, details);
  const rollbackPid = newPid();
  promotion.soak = { ...after, rollbackPid };
  await auditPromotion(em, promotion, SYSTEM, 'promotion.soak', reason, { ...details, promotionPid: rollbackPid });
  await makeInverse(em, promotion, rollbackPid, String(reason));
}

/**
 * The inverse with what the program asks of it, as people would. Nothing is lost by it, so it consents to
 * everything.
 */
async function makeInverse(em: PlatformEntityManager, promotion: Promotion, pid: string, why: string): Promise<void> {
  const draft = await inverseOf(em, promotion);
  const { userPid, username } = SYSTEM;
  const { targetEnvId } = promotion;
  const empty = { status: 'DRAFT' as const, resolutions: [], conflicts: [] };
  em.create(PromotionEntity, { ...draft, ...empty, pid, targetEnvId, createdBy: userPid, createdByName: username });
  const { code: environment } = await environmentById(em, targetEnvId);
  const reason = `soak: ${why}`;
  const fact = { actor: SYSTEM, action: 'promotion.rollback', targetType: 'promotion', targetPid: pid } as const;
  await appendAudit(em, { ...fact, environment, reason, after: { rollbackOf: promotion.pid } });
  const consent = draft.units.map(({ resourcePid }) => resourcePid);
  for (const [kind, body] of [['validate', {}] as const, ['apply', { reason, consent }] as const]) {
    const request = { pid: newPid(), promotionPid: pid, kind, userPid, username, body, traceId: newTraceId() };
    em.create(PromotionRequestEntity, request);
  }
}
