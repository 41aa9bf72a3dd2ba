import type { Message } from '../../../../foundation/i18n/text.ts';
import type { ProposedResource } from '../state/proposed-resource.ts';
import type { FutureTarget } from '../state/future-target.ts';
import type { PlanItem } from '../state/promotion-plan.ts';

/**
 * `blocking`: must be resolved. `consent`: data would get out of reach; the apply must consent. `warning`:
 * informs.
 */
export type Severity = 'blocking' | 'consent' | 'warning';
export const CHOICES = ['use_source', 'keep_target', 'skip'] as const;
/** A way out of a conflict: `keep_target` and `skip` leave the resource out of the plan. */
export type Choice = (typeof CHOICES)[number];

export interface Problem {
  readonly message: Message;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A problem about a resource that the search itself has to name. */
export interface ResourceProblem extends Problem {
  readonly resource: { readonly resourceType: string; readonly pid: string; readonly code: string };
}

/** Another validated promotion to the same target. */
export interface OtherPromotion {
  readonly pid: string;
  readonly plan?: { readonly items: readonly PlanItem[] } | null;
}

/** One type of conflict: what may be chosen, and how it is found. */
export interface ConflictTypeDefinition {
  readonly severity: Severity;
  readonly resolutions: readonly Choice[];
  /** Finds conflicts of one resource by itself. */
  inResource?(proposed: ProposedResource): Problem[] | Promise<Problem[]>;
  /**
   * Finds conflicts in the target as it would be.
   * @param reported pids of resources with a conflict of this type already
   */
  inTarget?(target: FutureTarget, reported: ReadonlySet<string>): Promise<ResourceProblem[]>;
  /** Finds conflicts with other promotions. */
  inPlan?(items: readonly PlanItem[], others: readonly OtherPromotion[]): ResourceProblem[];
}
