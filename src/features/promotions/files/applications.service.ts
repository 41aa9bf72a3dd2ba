import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { personOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { ResourceChecks } from '../../../platform/metadata/changes/resource-checks.ts';
import type { ResourceDraft } from '../../../platform/metadata/changes/resources.service.ts';
import { lockEnvironment } from '../../../platform/metadata/changes/resources.service.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { isDesignable } from '../../../platform/metadata/environments/write-policy.ts';
import { findEnvironment } from '../../environments/environments.service.ts';
import { isOpen, type Resolution } from '../plan/conflict.ts';
import type { Plan } from '../plan/state/promotion-plan.ts';
import type { PromotionDetails, PromotionsService } from '../intake/promotions.service.ts';
import { hashOf, planApplication, type ApplicationDraft, type ApplicationPlan } from './application-plan.ts';
import { noteManifest } from '../promotion/manifests.ts';
import { consentTo, openConflicts, stale } from './draft-guards.ts';
import { problemsOfDrafts } from './draft-problems.ts';

export interface ApplicationOrder extends ApplicationDraft {
  /** The plan that a person has seen: another one is not applied. */
  readonly planHash?: string;
  /** Names, `TYPE/code`, of what may take data out of reach. */
  readonly allowDestructive: readonly string[];
  readonly reason?: string;
}

export interface Applied {
  readonly environment: Environment;
  readonly plan: ApplicationPlan;
  readonly status: 'PLANNED' | 'UNCHANGED' | 'APPLIED' | 'WAITING';
  readonly promotion: PromotionDetails | null;
}

/**
 * Files of an application become the configuration of an environment by a promotion whose source they are.
 */
export class ApplicationsService {
  readonly #orm: PlatformOrm;
  readonly #promotions: PromotionsService;
  readonly #resourceChecks: ResourceChecks;

  constructor(orm: PlatformOrm, promotions: PromotionsService, resourceChecks: ResourceChecks) {
    this.#orm = orm;
    this.#promotions = promotions;
    this.#resourceChecks = resourceChecks;
  }

  /** Problems of resources by themselves: `resources.<index>.<path>` -> problem. */
  problemsOf(resources: readonly ResourceDraft[], application: string | undefined): Promise<FieldErrors> {
    return problemsOfDrafts(this.#resourceChecks.types, resources, application);
  }

  /** Plans an apply, as a dry run. @throws NOT_FOUND */
  async plan(pidOrCode: string, draft: ApplicationDraft): Promise<Applied> {
    const environment = await findEnvironment(this.#orm.em.fork(), pidOrCode);
    const plan = await this.#orm.em
      .fork()
      .transactional((em) => planApplication(em, this.#resourceChecks, environment, draft));
    return { environment, plan, status: 'PLANNED', promotion: null };
  }

  /**
   * Applies the files in one transaction, or, where designers may not write, makes the validated promotion
   * that does it.
   * @throws PROMOTION_CONFLICT with the conflicts; CONFLICT (CONSENT_REQUIRED); STALE_PLAN. Nothing is left
   * then
   */
  async apply(actor: Actor, pidOrCode: string, order: ApplicationOrder): Promise<Applied> {
    const planned = await this.plan(pidOrCode, order);
    const { environment, plan } = planned;
    if (order.planHash !== undefined && order.planHash !== plan.hash) throw stale();
    if (plan.conflicts.some(isOpen)) throw openConflicts(plan.conflicts);
    const resolutions = consentTo(plan.conflicts, order.allowDestructive);
    if (plan.units.length === 0) {
      await this.#note(actor, planned);
      return { ...planned, status: 'UNCHANGED' };
    }
    const reason = order.reason ?? 'apply';
    const promotion = await this.#promote(actor, planned, resolutions, reason);
    const isDone = promotion.promotion.status === 'APPLIED';
    return { ...planned, environment, status: isDone ? 'APPLIED' : 'WAITING', promotion };
  }

  async #promote(
    actor: Actor,
    { environment, plan }: Applied,
    resolutions: readonly Resolution[],
    reason: string,
  ): Promise<PromotionDetails> {
    const { entries, units, promoted } = plan;
    const made = await this.#promotions.createFromFiles(actor, environment, { entries, units, promoted, reason });
    const { pid } = made.promotion;
    try {
      const validated = await this.#promotions.request(actor, pid, 'validate', { resolutions });
      const { status, conflicts, plan: sealed } = validated.promotion;
      if (status !== 'VALIDATED') throw openConflicts(conflicts);
      // Between the plan and the seal others may have written.
      if ((await hashOf(environment.code, (sealed as Plan).items)) !== plan.hash) throw stale();
      if (!isDesignable(environment)) return validated;
      return await this.#promotions.request(actor, pid, 'apply', { reason });
    } catch (error) {
      await this.#promotions.request(actor, pid, 'cancel').catch(() => undefined);
      throw error;
    }
  }

  /** Records the applied files, from which drift is measured. */
  async #note(actor: Actor, { environment, plan }: Applied): Promise<void> {
    const { username } = actor;
    await this.#orm.em.fork().transactional(async (em) => {
      const { code } = await lockEnvironment(em, environment.code);
      await noteManifest(em, code, plan.promoted, { userPid: personOf(actor), username });
    });
  }
}
