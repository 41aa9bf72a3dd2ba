import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { problemsOfExport, type EnvironmentExport } from '../../environments/environment-export.ts';
import { findEnvironment } from '../../environments/environments.service.ts';
import { isDesignable, needsSecondPerson } from '../../../platform/metadata/environments/write-policy.ts';
import type { ResourceTypes } from '../../../platform/metadata/resources/resource-types.ts';
import { CONFLICT_TYPE_NAMES, CONFLICT_TYPES } from '../plan/conflicts/conflict-types.ts';
import { isOpen, type Resolution } from '../plan/conflict.ts';
import type { PromotionDetails, PromotionsService } from '../intake/promotions.service.ts';

/** An export, and beside its keys what an import needs to know. */
export interface ImportOrder extends EnvironmentExport {
  readonly reason?: string;
  readonly consent: readonly string[];
  /** Whether the promotion is left for people to look at. */
  readonly planOnly: boolean;
}

/** The types of conflicts that consent resolves. */
const CONSENTED = CONFLICT_TYPE_NAMES.filter((type) => CONFLICT_TYPES[type].severity === 'consent');

/**
 * An import is a promotion whose source is an export: the same plan, the same four eyes, the same one
 * transaction.
 */
export class EnvironmentImportsService {
  readonly #orm: PlatformOrm;
  readonly #promotions: PromotionsService;
  readonly #types: ResourceTypes;

  constructor(orm: PlatformOrm, promotions: PromotionsService, types: ResourceTypes) {
    this.#orm = orm;
    this.#promotions = promotions;
    this.#types = types;
  }

  /** Problems of an import beyond its form. @param errors collects them, by key @throws NOT_FOUND */
  async check(pidOrCode: string, order: Partial<ImportOrder>, errors: FieldErrors): Promise<void> {
    const target = await findEnvironment(this.#orm.em.fork(), pidOrCode);
    if (order.reason === undefined && !isDesignable(target)) errors.reason ??= 'is required';
    Object.assign(errors, await problemsOfExport(order, this.#types));
  }

  /**
   * Makes an environment what an export says, at once where no approval is needed.
   * @returns the promotion: APPLIED, or VALIDATED and waiting for a second person, or to be looked at
   * @throws PROMOTION_CONFLICT with the promotion's conflicts; CONFLICT (CONSENT_REQUIRED)
   */
  async import(actor: Actor, pidOrCode: string, order: ImportOrder): Promise<PromotionDetails> {
    const { resources, checksum, reason, consent, planOnly } = order;
    const target = await findEnvironment(this.#orm.em.fork(), pidOrCode);
    const made = await this.#promotions.createFromExport(actor, target, resources, { checksum, reason });
    const { pid } = made.promotion;
    // Consent is kept with the promotion: it need not be given again when it is applied.
    const resolutions = consent.flatMap((resourcePid) =>
      CONSENTED.map((type): Resolution => ({ resourcePid, type, resolution: 'use_source' })),
    );
    const validated = await this.#promotions.request(actor, pid, 'validate', { resolutions });
    if (planOnly) return validated;
    if (validated.promotion.status !== 'VALIDATED') {
      const conflicts = validated.promotion.conflicts.filter(isOpen);
      throw new ApplicationError('PROMOTION_CONFLICT', { data: { promotionPid: pid, conflicts } });
    }
    if (needsSecondPerson(target)) return validated;
    return this.#promotions.request(actor, pid, 'apply', { reason: reason ?? 'import' });
  }
}
