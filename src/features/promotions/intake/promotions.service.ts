import { boundedRead } from '../../../foundation/database/entity-reads.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { personOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import { appendAudit, SYSTEM, type AuditFact } from '../../../platform/audit/audit-log.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { ApplicationError, notFound, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { fromStoredError } from '../../../foundation/errors/failure.ts';
import { codeOfFailure } from '../../../foundation/errors/temporal-failure.ts';
import { currentTraceId, newTraceId } from '../../../foundation/logging/trace.ts';
import { EnvironmentEntity, type Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import type { ExportEntry } from '../../environments/environment-export.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import { PROMOTION_APPROVED, PROMOTION_REQUEST, promotionWorkflowId } from '../../../../workflows/contracts.ts';
import { startPromotionWorkflow } from './promotion-workflows.ts';
import { agreementOf, mayApprove, type Agreement } from '../performing/four-eyes.ts';
import type { PromotionRequestHandler } from '../performing/promotion-request-handler.ts';
import { inverseOf } from '../promotion/inverse.ts';
import { environmentById } from '../promotion/promotion-source.ts';
import { unitsBetween, type OfApplication } from '../promotion/units.ts';
import type { FilesToPromote, PromotedApplication } from '../promotion/manifests.ts';
import { timelineOf, type TimelineEntry } from '../promotion/timeline.ts';
import {
  ENDED,
  PromotionApprovalEntity,
  PromotionEntity,
  PromotionRequestEntity,
  type Promotion,
  type PromotionApproval,
  type PromotionStatus,
  type RequestBody,
  type RequestKind,
} from '../promotion/promotion.entity.ts';
import type { Unit } from '../plan/state/promotion-plan.ts';
import { text } from '../../../foundation/i18n/text.ts';

/** Spec: "Promotion", the request fields. */
export interface PromotionDraft {
  readonly sourceEnvId: number;
  readonly targetEnvId: number;
  readonly units: readonly Unit[] | '*' | OfApplication;
}

export interface PromotionDetails {
  readonly promotion: Promotion;
  /** The code of the source environment; null for an export, and for the inverse of another promotion. */
  readonly source: string | null;
  /** The code of the target environment. */
  readonly target: string;
  readonly approvals: readonly PromotionApproval[];
}

/**
 * What people do with promotions over HTTP. Each request is written down first, then carried out by the
 * promotion's workflow.
 */
export class PromotionsService {
  readonly #orm: PlatformOrm;
  readonly #temporal: TemporalGateway;
  readonly #worker: PromotionRequestHandler;

  constructor(orm: PlatformOrm, temporal: TemporalGateway, worker: PromotionRequestHandler) {
    this.#orm = orm;
    this.#temporal = temporal;
    this.#worker = worker;
  }

  /** Checks the environments of a promotion; undefined ones are not asked for. */
  async check({ sourceEnvId, targetEnvId, units }: Partial<PromotionDraft>, errors: FieldErrors): Promise<void> {
    const ids = [sourceEnvId, targetEnvId].filter((id) => id !== undefined);
    const known = new Set(
      (await this.#orm.em.fork().find(EnvironmentEntity, { id: { $in: ids } })).map(({ id }) => id),
    );
    if (sourceEnvId !== undefined && !known.has(sourceEnvId)) errors.sourceEnvId = 'is not an environment';
    if (targetEnvId === undefined) return;
    if (!known.has(targetEnvId)) errors.targetEnvId = 'is not an environment';
    // Within one environment, resources go back to earlier versions.
    const goesBack = Array.isArray(units) && units.every(({ version }: Unit) => version !== undefined);
    if (sourceEnvId === targetEnvId && !goesBack)
      errors.targetEnvId = 'must not be the source, unless each unit names an earlier version';
  }

  /**
   * Makes a promotion between checked environments.
   * @throws VALIDATION_ERROR naming the unit that is wrong; SERVICE_UNAVAILABLE with nothing made
   */
  async create(actor: Actor, { sourceEnvId, targetEnvId, units }: PromotionDraft): Promise<PromotionDetails> {
    const em = this.#orm.em.fork();
    const source = await em.findOne(EnvironmentEntity, { id: sourceEnvId });
    const target = await em.findOne(EnvironmentEntity, { id: targetEnvId });
    const found = await unitsBetween(em, source as Environment, target as Environment, units);
    const draft = { sourceEnvId, snapshot: null, rollbackOf: null, units: found };
    return this.#begin(actor, target as Environment, draft, {
      action: 'promotion.create',
      after: { sourceEnvId, units },
    });
  }

  /**
   * A promotion whose source is an export: an import makes the target what the export says.
   * @throws SERVICE_UNAVAILABLE
   */
  async createFromExport(
    actor: Actor,
    target: Environment,
    entries: readonly ExportEntry[],
    { checksum, reason }: { checksum: string; reason: string | undefined },
  ): Promise<PromotionDetails> {
    const draft = { sourceEnvId: null, snapshot: entries, rollbackOf: null, units: '*' as const };
    const after = { checksum, resources: entries.length };
    return this.#begin(actor, target, draft, { action: 'environment.import', reason: reason ?? null, after });
  }

  /** A promotion of the changed files of an application. @throws SERVICE_UNAVAILABLE */
  async createFromFiles(
    actor: Actor,
    target: Environment,
    { entries, units, promoted, reason }: FilesToPromote,
  ): Promise<PromotionDetails> {
    const draft = { sourceEnvId: null, snapshot: entries, rollbackOf: null, units: [...units], application: promoted };
    const after = { application: promoted.name, resources: promoted.manifest.length, changes: units.length };
    return this.#begin(actor, target, draft, { action: 'environment.apply', reason, after });
  }

  /**
   * The inverse of an applied promotion, as a promotion of its own: validate, approve and apply it like any
   * other.
   */
  async createRollback(actor: Actor, pid: string, reason: string | null): Promise<PromotionDetails> {
    const em = this.#orm.em.fork();
    const { promotion } = await this.get(pid);
    const target = await environmentById(em, promotion.targetEnvId);
    const draft = await inverseOf(em, promotion);
    return this.#begin(actor, target, draft, { action: 'promotion.rollback', reason, after: { rollbackOf: pid } });
  }

  async list(
    filter: { status?: PromotionStatus; targetEnvId?: number },
    pageNum: number,
    pageSize: number,
  ): Promise<{ records: PromotionDetails[]; total: number }> {
    const em = this.#orm.em.fork();
    const paging = { orderBy: { id: 'desc' }, limit: pageSize, offset: (pageNum - 1) * pageSize } as const;
    const [promotions, total] = await boundedRead(() => em.findAndCount(PromotionEntity, filter, paging));
    const approvals = await em.find(PromotionApprovalEntity, {
      promotionPid: { $in: promotions.map(({ pid }) => pid) },
    });
    const codes = await environmentCodes(em);
    const records = promotions.map((promotion) => ({
      promotion,
      ...endsOf(promotion, codes),
      approvals: approvals.filter(({ promotionPid }) => promotionPid === promotion.pid),
    }));
    return { records, total };
  }

  /** @throws NOT_FOUND */
  async get(pid: string): Promise<PromotionDetails> {
    const em = this.#orm.em.fork();
    const promotion = await em.findOne(PromotionEntity, { pid });
    if (!promotion) throw notFound('There is no such promotion');
    const approvals = await em.find(PromotionApprovalEntity, { promotionPid: pid }, { orderBy: { createdAt: 'asc' } });
    return { promotion, approvals, ...endsOf(promotion, await environmentCodes(em)) };
  }

  /** Who must agree before the actor may apply the promotion. */
  async agreement(
    actor: Actor,
    { promotion, approvals }: PromotionDetails,
  ): Promise<Agreement & { readonly mayApprove: boolean }> {
    const target = await environmentById(this.#orm.em.fork(), promotion.targetEnvId);
    const approvers = approvals.filter((one) => one.planHash === promotion.plan?.hash).map(({ userPid }) => userPid);
    const { createdBy: creator, status } = promotion;
    const applier = personOf(actor);
    const isUseful = status === 'VALIDATED' && !approvers.includes(applier) && mayApprove(target, creator, applier);
    return { ...agreementOf(target, { creator, approvers, applier }), mayApprove: isUseful };
  }

  /** Everything that happened to the promotion, the oldest first. @throws NOT_FOUND */
  async timeline(pid: string): Promise<TimelineEntry[]> {
    const { promotion } = await this.get(pid);
    return timelineOf(this.#orm.em.fork(), promotion);
  }

  /**
   * Has a request carried out and gives the promotion as it then is.
   * @throws NOT_FOUND, PROMOTION_STATE, STALE_PLAN, FOUR_EYES_REQUIRED, CONFLICT (CONSENT_REQUIRED,
   *   APPLY_FAILED), SERVICE_UNAVAILABLE
   */
  async request(
    actor: Actor,
    promotionPid: string,
    kind: RequestKind,
    body: RequestBody = {},
  ): Promise<PromotionDetails> {
    requireOpen((await this.get(promotionPid)).promotion);
    const pid = newPid();
    const em = this.#orm.em.fork();
    const userPid = personOf(actor);
    const { username } = actor;
    const traceId = currentTraceId() ?? newTraceId();
    em.create(PromotionRequestEntity, { pid, promotionPid, kind, userPid, username, body, traceId });
    await em.flush();
    if (kind === 'approve') await this.#approve(promotionPid, pid);
    else await this.#update(promotionPid, pid);
    return this.get(promotionPid);
  }

  /** An approval is a row, and stands whether or not the workflow hears of it. */
  async #approve(promotionPid: string, requestPid: string): Promise<void> {
    await this.#worker.handle(promotionPid, requestPid);
    const signal = this.#temporal.signal(promotionWorkflowId(promotionPid), PROMOTION_APPROVED, {
      approvalPid: requestPid,
    });
    await signal.catch(() => undefined);
  }

  async #update(promotionPid: string, requestPid: string): Promise<void> {
    const send = (): Promise<void> =>
      this.#temporal.update(promotionWorkflowId(promotionPid), PROMOTION_REQUEST, requestPid, { requestPid });
    try {
      await send().catch(async (error: unknown) => {
        if (error instanceof ApplicationError || codeOfFailure(error)) throw error;
        // No workflow took it. It has ended, and the promotion with it; or it is missing, and is started
        // again.
        const { promotion } = await this.get(promotionPid);
        requireOpen(promotion);
        const target = await environmentById(this.#orm.em.fork(), promotion.targetEnvId);
        await startPromotionWorkflow(this.#temporal, promotion, target).catch(() => undefined);
        await send();
      });
    } catch (error) {
      // Temporal carries the code; the row has the whole error, also where only the answer was lost.
      const request = await this.#orm.em.fork().findOne(PromotionRequestEntity, { pid: requestPid });
      if (request?.error) throw fromStoredError(request.error);
      if (request?.handledAt) return;
      const code = codeOfFailure(error);
      throw code ? new ApplicationError(code, { cause: error }) : error;
    }
  }

  async #begin(
    actor: Actor,
    target: Environment,
    draft: Pick<Promotion, 'snapshot' | 'units'> & {
      sourceEnvId: number | null;
      rollbackOf: string | null;
      application?: PromotedApplication;
    },
    fact: Pick<AuditFact, 'action' | 'reason' | 'after'>,
  ): Promise<PromotionDetails> {
    const pid = newPid();
    await this.#orm.em.fork().transactional(async (em) => {
      em.create(PromotionEntity, {
        ...draft,
        pid,
        targetEnvId: target.id,
        status: 'DRAFT',
        resolutions: [],
        conflicts: [],
        createdBy: personOf(actor),
        createdByName: actor.username,
      });
      await appendAudit(em, { ...fact, actor, targetType: 'promotion', targetPid: pid, environment: target.code });
    });
    const made = await this.get(pid);
    try {
      await startPromotionWorkflow(this.#temporal, made.promotion, target);
    } catch (error) {
      await this.#withdraw(pid, target);
      throw error;
    }
    return made;
  }

  /** A promotion that no workflow accompanies could not go on. */
  async #withdraw(pid: string, { code: environment }: Environment): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      await em.nativeUpdate(PromotionEntity, { pid }, { status: 'CANCELLED' });
      const fact = { actor: SYSTEM, action: 'promotion.cancel', targetType: 'promotion', targetPid: pid } as const;
      const reason = 'Temporal is unavailable';
      await appendAudit(em, { ...fact, environment, reason, after: { status: 'CANCELLED' } });
    });
  }
}

/** The codes of all environments, by their numeric ids. */
async function environmentCodes(em: PlatformEntityManager): Promise<ReadonlyMap<number, string>> {
  const all = await em.findAll(EnvironmentEntity, { fields: ['id', 'code'], disableIdentityMap: true });
  return new Map(all.map(({ id, code }) => [id, code]));
}

function endsOf(
  { sourceEnvId = null, targetEnvId }: Promotion,
  codes: ReadonlyMap<number, string>,
): Pick<PromotionDetails, 'source' | 'target'> {
  const source = sourceEnvId === null ? null : (codes.get(sourceEnvId) ?? null);
  return { source, target: codes.get(targetEnvId) ?? String(targetEnvId) };
}

/** @throws PROMOTION_STATE for a promotion that has ended */
function requireOpen({ status }: Promotion): void {
  if (!ENDED.includes(status)) return;
  const message = text('The promotion is {status}: nothing more can be done with it', { status });
  throw new ApplicationError('PROMOTION_STATE', { message, data: { status } });
}
