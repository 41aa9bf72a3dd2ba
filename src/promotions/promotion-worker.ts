import { LockMode } from '@mikro-orm/core';
import { appendAudit, type AuditAction } from '../audit/audit-log.ts';
import type { PlatformEntityManager, PlatformOrm } from '../database/orm.ts';
import { isBusy, isConnectionFailure } from '../database/failures.ts';
import { ApplicationError, notFound } from '../errors/application-error.ts';
import { fromStoredError, toStoredError } from '../errors/failure.ts';
import { withTrace } from '../logging/trace.ts';
import type { ChangeSets } from '../metadata/change-set.ts';
import { EnvironmentEntity, type Environment } from '../metadata/environment.entity.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import type { PromotionState } from '../../workflows/contracts.ts';
import { isRefusal, requireConsent, requireFourEyes, requireStatus } from './apply-guards.ts';
import { isOpen, type Resolution } from './conflict.ts';
import { overlaps } from './overlaps.ts';
import { planHash, type Plan } from './promotion-plan.ts';
import { contentsLeftBy, entriesOf, environmentById, readSource } from './promotion-source.ts';
import type { PromotionStreams } from './promotion-stream.ts';
import {
  PromotionApprovalEntity,
  PromotionEntity,
  PromotionRequestEntity,
  type Promotion,
  type PromotionRequest,
} from './promotion.entity.ts';
import { planPromotion, type Planned } from './planner.ts';

/** A request's outcome that must be written although the request fails: thrown after the transaction has committed. */
class Refusal {
  readonly error: ApplicationError;

  constructor(error: ApplicationError) {
    this.error = error;
  }
}

/**
 * Carries out what people asked of promotions. Every request is a row that an authenticated person's HTTP call has
 * written; each is carried out once, in one transaction that holds the promotion and, for an apply, the target.
 */
export class PromotionWorker {
  readonly #orm: PlatformOrm;
  readonly #changeSets: ChangeSets;
  readonly #snapshots: SnapshotCache;
  readonly #streams: PromotionStreams;

  constructor(orm: PlatformOrm, changeSets: ChangeSets, snapshots: SnapshotCache, streams: PromotionStreams) {
    this.#orm = orm;
    this.#changeSets = changeSets;
    this.#snapshots = snapshots;
    this.#streams = streams;
  }

  /**
   * @param due whether a scheduled apply has come due; before that it only waits
   * @throws the request's failure, with its code; a request that was handled before gives its first outcome again
   */
  async handle(promotionPid: string, requestPid: string, due = false): Promise<PromotionState> {
    try {
      return await this.#handle(promotionPid, requestPid, due);
    } finally {
      await this.#streams.announce(promotionPid);
    }
  }

  async #handle(promotionPid: string, requestPid: string, due: boolean): Promise<PromotionState> {
    let outcome: PromotionState | Refusal;
    try {
      outcome = await this.#orm.em.fork().transactional((em) => this.#handleIn(em, promotionPid, requestPid, due));
    } catch (error) {
      if (isPassing(error)) throw error;
      throw await this.#recordFailure(promotionPid, requestPid, error);
    }
    if (outcome instanceof Refusal) throw outcome.error;
    if (outcome.status === 'APPLIED') await this.#refreshTarget(promotionPid);
    return outcome;
  }

  /** @throws NOT_FOUND */
  async read(promotionPid: string): Promise<PromotionState> {
    const promotion = await this.#orm.em.fork().findOne(PromotionEntity, { pid: promotionPid });
    if (!promotion) throw notFound('There is no such promotion');
    return stateOf(this.#orm.em.fork(), promotion);
  }

  /** Ends a promotion that nobody applied in time. */
  async expire(promotionPid: string): Promise<PromotionState> {
    return this.#orm.em.fork().transactional(async (em) => {
      const promotion = await lockPromotion(em, promotionPid);
      if (['DRAFT', 'VALIDATED', 'FAILED'].includes(promotion.status)) {
        promotion.status = 'EXPIRED';
        promotion.applyAt = null;
        await audit(em, promotion, { userPid: 'system', username: 'system' }, 'promotion.expire', null, {});
      }
      return stateOf(em, promotion);
    });
  }

  async #handleIn(
    em: PlatformEntityManager,
    promotionPid: string,
    requestPid: string,
    due: boolean,
  ): Promise<PromotionState | Refusal> {
    const promotion = await lockPromotion(em, promotionPid);
    const request = await em.findOne(PromotionRequestEntity, { pid: requestPid, promotionPid });
    // Whoever reaches Temporal can send anything: without a row of this promotion nothing happens.
    if (!request) throw notFound('There is no such request');
    if (request.handledAt) return request.error ? new Refusal(fromStoredError(request.error)) : stateOf(em, promotion);
    if (request.kind === 'apply' && isLater(request.body.applyAt, due ? CLOCK_SKEW_MS : 0)) {
      return this.#schedule(em, promotion, request);
    }

    const refused = await withTrace(request.traceId, () => this.#carryOut(em, promotion, request));
    request.handledAt = new Date();
    request.error = refused && toStoredError(refused.error);
    await em.flush();
    return refused ?? stateOf(em, promotion);
  }

  async #carryOut(em: PlatformEntityManager, promotion: Promotion, request: PromotionRequest): Promise<Refusal | null> {
    switch (request.kind) {
      case 'validate':
        return this.#validate(em, promotion, request);
      case 'approve':
        return this.#approve(em, promotion, request);
      case 'reject':
        return this.#end(em, promotion, request, 'REJECTED', 'promotion.reject');
      case 'cancel':
        return this.#end(em, promotion, request, 'CANCELLED', 'promotion.cancel');
      case 'apply':
        return this.#apply(em, promotion, request);
    }
  }

  async #validate(em: PlatformEntityManager, promotion: Promotion, request: PromotionRequest): Promise<null> {
    requireStatus(promotion, 'DRAFT', 'VALIDATED', 'FAILED');
    const { autoInclude, resolutions } = request.body as { autoInclude?: boolean; resolutions?: Resolution[] };
    if (autoInclude !== undefined) promotion.autoInclude = autoInclude;
    if (resolutions) promotion.resolutions = merge(promotion.resolutions, resolutions);
    const target = await environmentById(em, promotion.targetEnvId);
    const { planned, hash } = await this.#plan(em, promotion, target);
    promotion.conflicts = [...planned.conflicts, ...(await overlaps(em, promotion, planned.items))];
    const valid = !promotion.conflicts.some(isOpen);
    // Whoever scheduled the apply of a plan did not mean another one.
    if (!valid || promotion.plan?.hash !== hash) promotion.applyAt = null;
    promotion.status = valid ? 'VALIDATED' : 'DRAFT';
    promotion.plan = valid ? { hash, sealedAt: new Date().toISOString(), items: planned.items } : null;
    promotion.failureReason = null;
    const conflicts = promotion.conflicts.map(({ type, code, resolution }) => ({ type, code, resolution }));
    await audit(em, promotion, request, 'promotion.validate', null, { planHash: valid ? hash : null, conflicts });
    return null;
  }

  async #approve(em: PlatformEntityManager, promotion: Promotion, request: PromotionRequest): Promise<null> {
    requireStatus(promotion, 'VALIDATED');
    const target = await environmentById(em, promotion.targetEnvId);
    if (request.userPid === promotion.createdBy && !target.selfApprove) {
      throw new ApplicationError('FOUR_EYES_REQUIRED', { message: 'Nobody approves their own promotion here' });
    }
    const planHash = (promotion.plan as Plan).hash;
    const { userPid, username, pid } = request;
    const key = { promotionPid: promotion.pid, planHash, userPid };
    if ((await em.count(PromotionApprovalEntity, key)) > 0) return null;
    const comment = (request.body.comment as string | undefined) ?? null;
    em.create(PromotionApprovalEntity, { pid, ...key, username, comment });
    await audit(em, promotion, request, 'promotion.approve', comment, { planHash });
    return null;
  }

  async #end(
    em: PlatformEntityManager,
    promotion: Promotion,
    request: PromotionRequest,
    status: 'REJECTED' | 'CANCELLED',
    action: AuditAction,
  ): Promise<null> {
    requireStatus(promotion, 'DRAFT', 'VALIDATED', 'FAILED');
    promotion.status = status;
    promotion.applyAt = null;
    await audit(em, promotion, request, action, (request.body.reason as string | undefined) ?? null, {});
    return null;
  }

  async #apply(em: PlatformEntityManager, promotion: Promotion, request: PromotionRequest): Promise<Refusal | null> {
    requireStatus(promotion, 'VALIDATED');
    const sealed = promotion.plan as Plan;
    const target = await em.findOneOrFail(
      EnvironmentEntity,
      { id: promotion.targetEnvId },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    const { planned, hash } = await this.#plan(em, promotion, target);
    if (hash !== sealed.hash) {
      promotion.status = 'DRAFT';
      promotion.plan = null;
      promotion.applyAt = null;
      const message = 'Source or target have changed since the promotion was validated: validate it again';
      promotion.failureReason = message;
      await audit(em, promotion, request, 'promotion.fail', String(request.body.reason), { code: 'STALE_PLAN' });
      return new Refusal(new ApplicationError('STALE_PLAN', { message }));
    }
    requireConsent(planned, request);
    await requireFourEyes(em, promotion, target, request);
    const before = target.metadataVersion;
    await this.#changeSets.apply(em, target, planned.changes, request.userPid);
    promotion.status = 'APPLIED';
    promotion.appliedBy = request.userPid;
    promotion.appliedReason = request.body.reason as string;
    promotion.appliedAt = new Date();
    promotion.applyAt = null;
    promotion.failureReason = null;
    await audit(em, promotion, request, 'promotion.apply', promotion.appliedReason, {
      planHash: hash,
      metadataVersion: { before, after: target.metadataVersion },
      items: planned.items.map(({ action, resourceType, code, sourceVersion, targetVersion }) => ({
        action,
        resourceType,
        code,
        from: targetVersion,
        to: sourceVersion,
      })),
    });
    return null;
  }

  async #plan(
    em: PlatformEntityManager,
    promotion: Promotion,
    { code: targetCode }: Environment,
  ): Promise<{ planned: Planned; hash: string }> {
    const target = await entriesOf(em, targetCode);
    const { name, entries: source, units } = await readSource(em, promotion, target);
    const { resolutions, autoInclude } = promotion;
    const overwrites = typeof promotion.sourceEnvId !== 'number';
    const left = await contentsLeftBy(em, promotion.rollbackOf);
    const input = { source, target, targetCode, units, resolutions, autoInclude, overwrites, left };
    const planned = await planPromotion(em, this.#changeSets, input);
    return { planned, hash: planHash(name, targetCode, planned.items) };
  }

  async #schedule(em: PlatformEntityManager, promotion: Promotion, request: PromotionRequest): Promise<PromotionState> {
    requireStatus(promotion, 'VALIDATED');
    promotion.applyAt = new Date(request.body.applyAt as string);
    await em.flush();
    return stateOf(em, promotion);
  }

  /** The transaction is gone, and with it all that the request did. What remains is why: for the asker, and for an apply in the promotion. */
  async #recordFailure(promotionPid: string, requestPid: string, thrown: unknown): Promise<ApplicationError> {
    const error = thrown instanceof ApplicationError ? thrown : failureOf(thrown);
    await this.#orm.em.fork().transactional(async (em) => {
      const request = await em.findOne(PromotionRequestEntity, { pid: requestPid, promotionPid });
      if (!request || request.handledAt) return;
      const promotion = await lockPromotion(em, promotionPid);
      request.handledAt = new Date();
      request.error = toStoredError(error);
      if (request.kind !== 'apply') return;
      const refused = isRefusal(error);
      // Nobody waits for the answer to a scheduled apply: the promotion has to tell.
      if (refused && !isScheduled(promotion, request)) return;
      if (!refused) promotion.status = 'FAILED';
      promotion.applyAt = null;
      promotion.failureReason = reasonOf(error);
      const details = { code: error.code, data: error.data };
      await withTrace(request.traceId, () =>
        audit(em, promotion, request, 'promotion.fail', String(request.body.reason), details),
      );
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

async function lockPromotion(em: PlatformEntityManager, pid: string): Promise<Promotion> {
  const promotion = await em.findOne(PromotionEntity, { pid }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!promotion) throw notFound('There is no such promotion');
  return promotion;
}

/** Where the promotion stands, and which apply, if any, waits to be due. */
async function stateOf(em: PlatformEntityManager, promotion: Promotion): Promise<PromotionState> {
  const { pid: promotionPid, status, applyAt } = promotion;
  const waiting = applyAt
    ? await em.find(PromotionRequestEntity, { promotionPid, kind: 'apply', handledAt: null })
    : [];
  const scheduled = waiting.find((request) => isScheduled(promotion, request));
  return { status, applyAt: (scheduled && applyAt?.getTime()) ?? null, applyRequestPid: scheduled?.pid ?? null };
}

function isScheduled({ applyAt }: Promotion, { body }: PromotionRequest): boolean {
  return applyAt !== null && applyAt !== undefined && body.applyAt === applyAt.toISOString();
}

/** Whether the same request may succeed when it is tried again: the database is away, or busy. */
function isPassing(error: unknown): boolean {
  return isConnectionFailure(error) || isBusy(error);
}

/** How far the clock of this machine may be behind the one that wakes the workflows. */
const CLOCK_SKEW_MS = 60_000;

function isLater(applyAt: unknown, toleranceMs: number): boolean {
  return typeof applyAt === 'string' && Date.parse(applyAt) > Date.now() + toleranceMs;
}

async function audit(
  em: PlatformEntityManager,
  { pid, targetEnvId, status }: Promotion,
  actor: { userPid: string; username: string },
  action: AuditAction,
  reason: string | null,
  details: Record<string, unknown>,
): Promise<void> {
  const { code: environment } = await environmentById(em, targetEnvId);
  const fact = { actor, action, targetType: 'promotion', targetPid: pid, environment, reason } as const;
  await appendAudit(em, { ...fact, after: { status, ...details } });
}

function merge(known: readonly Resolution[], added: readonly Resolution[]): Resolution[] {
  const keyOf = ({ resourcePid, type }: Resolution): string => `${resourcePid} ${type}`;
  return [...new Map([...known, ...added].map((one) => [keyOf(one), one])).values()];
}

/** Why an apply failed, for people: the message, and what is wrong where. */
function reasonOf({ message, data }: ApplicationError): string {
  const problems = Object.entries((data?.fieldErrors ?? {}) as Record<string, string>).map((problem) =>
    problem.join(' '),
  );
  return [message, ...problems].join('; ').slice(0, 2_000);
}

/** What Postgres or a bug threw in the middle of an apply, without data of records in it. */
function failureOf(thrown: unknown): ApplicationError {
  const { message = 'unknown', code } = (thrown ?? {}) as { message?: string; code?: string };
  const text = message.split('\n')[0] ?? '';
  return new ApplicationError('CONFLICT', {
    message: `The changes could not be applied: ${text.slice(0, 500)}`,
    data: { reason: 'APPLY_FAILED', sqlState: code ?? null },
    cause: thrown,
  });
}
