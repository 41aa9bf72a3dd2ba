import { SYSTEM, type AuditAction } from '../../../platform/audit/audit-log.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { translate } from '../../../foundation/database/failures.ts';
import { ApplicationError, notFound } from '../../../foundation/errors/application-error.ts';
import { fromStoredError, toStoredError } from '../../../foundation/errors/failure.ts';
import { toColumn } from '../../../foundation/i18n/text.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import type { ResourceChecks } from '../../../platform/metadata/changes/resource-checks.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { PromotionState } from '../../../../workflows/contracts.ts';
import { isRefusal, requireSamePlan, requireStatus } from './apply-guards.ts';
import { applyPromotion } from './apply-promotion.ts';
import { mayApprove } from './four-eyes.ts';
import { auditFailure, auditPromotion } from '../promotion/promotion-audit.ts';
import type { Plan } from '../plan/state/promotion-plan.ts';
import { environmentById } from '../promotion/promotion-source.ts';
import { expiryOf, isScheduled, lockPromotion, stateOf } from '../promotion/promotion-state.ts';
import type { PromotionStreams } from '../promotion/promotion-stream.ts';
import {
  ENDED,
  PromotionApprovalEntity,
  PromotionEntity,
  PromotionRequestEntity,
  type Promotion,
  type PromotionRequest,
} from '../promotion/promotion.entity.ts';
import { toApplyError, reasonOf, RecordedError } from '../promotion/recorded-error.ts';
import { noteFailedRollback } from './soak-outcome.ts';
import { validatePromotion } from './validate-promotion.ts';
import { CLOCK_SKEW_MS } from '../promotions.limits.ts';

/**
 * Carries out what people asked of promotions. Every request is a row that an authenticated person's HTTP
 * call has written; each is carried out once, in one transaction that holds the promotion and, for an apply,
 * the target.
 */
export class PromotionRequestHandler {
  readonly #orm: PlatformOrm;
  readonly #resourceChecks: ResourceChecks;
  readonly #snapshots: SnapshotCache;
  readonly #streams: PromotionStreams;

  constructor(orm: PlatformOrm, resourceChecks: ResourceChecks, snapshots: SnapshotCache, streams: PromotionStreams) {
    this.#orm = orm;
    this.#resourceChecks = resourceChecks;
    this.#snapshots = snapshots;
    this.#streams = streams;
  }

  /**
   * @param due whether a scheduled apply has come due; before that it only waits
   * @throws the request's failure, with its code; a request that was handled before gives its first outcome
   *   again
   */
  async handle(promotionPid: string, requestPid: string, due = false): Promise<PromotionState> {
    try {
      return await this.#handle(promotionPid, requestPid, due);
    } finally {
      await this.#streams.announce(promotionPid);
    }
  }

  async #handle(promotionPid: string, requestPid: string, due: boolean): Promise<PromotionState> {
    let outcome: PromotionState | RecordedError;
    try {
      outcome = await this.#orm.em.fork().transactional((em) => this.#handleIn(em, promotionPid, requestPid, due));
    } catch (error) {
      if (isPassing(error)) throw error;
      throw await this.#recordFailure(promotionPid, requestPid, error);
    }
    if (outcome instanceof RecordedError) throw outcome.error;
    if (outcome.status === 'APPLIED') await this.#refreshTarget(promotionPid);
    return outcome;
  }

  /** @throws NOT_FOUND */
  async read(promotionPid: string): Promise<PromotionState> {
    const promotion = await this.#orm.em.fork().findOne(PromotionEntity, { pid: promotionPid });
    if (!promotion) throw notFound('There is no such promotion');
    return stateOf(this.#orm.em.fork(), promotion);
  }

  /** Ends a promotion that was not applied in time, as its row says: any workflow can ask. */
  async expire(promotionPid: string): Promise<PromotionState> {
    return this.#orm.em.fork().transactional(async (em) => {
      const promotion = await lockPromotion(em, promotionPid);
      const target = await environmentById(em, promotion.targetEnvId);
      if (!ENDED.includes(promotion.status) && expiryOf(promotion, target) <= Date.now() + CLOCK_SKEW_MS) {
        promotion.status = 'EXPIRED';
        promotion.applyAt = null;
        await auditPromotion(em, promotion, SYSTEM, 'promotion.expire', null);
      }
      return stateOf(em, promotion);
    });
  }

  async #handleIn(
    em: PlatformEntityManager,
    promotionPid: string,
    requestPid: string,
    due: boolean,
  ): Promise<PromotionState | RecordedError> {
    const promotion = await lockPromotion(em, promotionPid);
    const request = await em.findOne(PromotionRequestEntity, { pid: requestPid, promotionPid });
    // Any client of Temporal can send any pid: only rows of this promotion are carried out.
    if (!request) throw notFound('There is no such request');
    if (request.handledAt)
      return request.error ? new RecordedError(fromStoredError(request.error)) : stateOf(em, promotion);
    const { applyAt } = request.body;
    if (request.kind === 'apply' && applyAt !== undefined && isLater(applyAt, due ? CLOCK_SKEW_MS : 0)) {
      return this.#schedule(em, promotion, request, applyAt);
    }

    const refused = await withLogContext(request, () => this.#carryOut(em, promotion, request));
    request.handledAt = new Date();
    request.error = refused && toStoredError(refused.error);
    if (refused) await noteFailedRollback(em, promotion, request, refused.error);
    await em.flush();
    return refused ?? stateOf(em, promotion);
  }

  async #carryOut(
    em: PlatformEntityManager,
    promotion: Promotion,
    request: PromotionRequest,
  ): Promise<RecordedError | null> {
    switch (request.kind) {
      case 'apply':
        return applyPromotion(em, this.#resourceChecks, promotion, request);
      case 'validate':
        await validatePromotion(em, this.#resourceChecks, promotion, request);
        break;
      case 'approve':
        await this.#approve(em, promotion, request);
        break;
      case 'reject':
        await this.#end(em, promotion, request, 'REJECTED', 'promotion.reject');
        break;
      case 'cancel':
        await this.#end(em, promotion, request, 'CANCELLED', 'promotion.cancel');
    }
    return null;
  }

  async #approve(em: PlatformEntityManager, promotion: Promotion, request: PromotionRequest): Promise<void> {
    requireStatus(promotion, 'VALIDATED');
    requireSamePlan(promotion, request);
    const target = await environmentById(em, promotion.targetEnvId);
    if (!mayApprove(target, promotion.createdBy, request.userPid)) {
      throw new ApplicationError('FOUR_EYES_REQUIRED', { message: 'Nobody approves their own promotion here' });
    }
    const planHash = (promotion.plan as Plan).hash;
    const { userPid, username, pid } = request;
    const key = { promotionPid: promotion.pid, planHash, userPid };
    if ((await em.count(PromotionApprovalEntity, key)) > 0) return;
    const comment = request.body.comment ?? null;
    em.create(PromotionApprovalEntity, { pid, ...key, username, comment });
    await auditPromotion(em, promotion, request, 'promotion.approve', comment, { planHash });
  }

  async #end(
    em: PlatformEntityManager,
    promotion: Promotion,
    request: PromotionRequest,
    status: 'REJECTED' | 'CANCELLED',
    action: AuditAction,
  ): Promise<void> {
    requireStatus(promotion, 'DRAFT', 'VALIDATED', 'FAILED');
    promotion.status = status;
    promotion.applyAt = null;
    await auditPromotion(em, promotion, request, action, request.body.reason ?? null);
  }

  async #schedule(
    em: PlatformEntityManager,
    promotion: Promotion,
    request: PromotionRequest,
    applyAt: string,
  ): Promise<PromotionState> {
    requireStatus(promotion, 'VALIDATED');
    requireSamePlan(promotion, request);
    // Temporal may deliver the request once more.
    if (isScheduled(promotion, request)) return stateOf(em, promotion);
    promotion.applyAt = new Date(applyAt);
    await withLogContext(request, () =>
      auditPromotion(em, promotion, request, 'promotion.schedule', request.body.reason ?? null, { applyAt }),
    );
    return stateOf(em, promotion);
  }

  /**
   * The transaction is gone, and with it all that the request did. What remains is why: for the asker, and
   * for an apply in the promotion.
   */
  async #recordFailure(promotionPid: string, requestPid: string, thrown: unknown): Promise<ApplicationError> {
    const error = toApplyError(thrown);
    await this.#orm.em.fork().transactional(async (em) => {
      const request = await em.findOne(PromotionRequestEntity, { pid: requestPid, promotionPid });
      if (!request || request.handledAt) return;
      const promotion = await lockPromotion(em, promotionPid);
      request.handledAt = new Date();
      request.error = toStoredError(error);
      if (request.kind !== 'apply') return;
      await noteFailedRollback(em, promotion, request, error);
      const refused = isRefusal(error);
      // No client waits for a scheduled apply: the promotion must show the refusal.
      if (refused && !isScheduled(promotion, request)) return;
      if (!refused) promotion.status = 'FAILED';
      promotion.applyAt = null;
      promotion.failureReason = toColumn(reasonOf(error));
      await withLogContext(request, () => auditFailure(em, promotion, request, error));
    });
    return error;
  }

  async #refreshTarget(promotionPid: string): Promise<void> {
    const em = this.#orm.em.fork();
    const { targetEnvId } = await em.findOneOrFail(PromotionEntity, { pid: promotionPid });
    const { code } = await environmentById(em, targetEnvId);
    await this.#snapshots.refresh(code);
  }
}

/** Whether the same request may succeed when it is tried again; not where it takes too long. */
function isPassing(error: unknown): boolean {
  const known = translate(error);
  return known instanceof ApplicationError && known.code === 'SERVICE_UNAVAILABLE' && known.data?.reason !== 'TIMEOUT';
}

function isLater(applyAt: string, toleranceMs: number): boolean {
  return Date.parse(applyAt) > Date.now() + toleranceMs;
}
