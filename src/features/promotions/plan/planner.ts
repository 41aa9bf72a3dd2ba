import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ChangeSets, ResourceChange } from '../../../platform/metadata/changes/change-set.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { compare, type ResourceDifference } from '../../environments/environment-diff.ts';
import type { SnapshotEntry } from '../../environments/environment-snapshot.ts';
import { ddlOf } from '../../environments/environments.service.ts';
import { Candidate } from './state/candidate.ts';
import { ConflictCollector } from './conflict-collector.ts';
import { toConflict, type Conflict, type Resolution } from './conflict.ts';
import type { OtherPromotion } from './conflicts/conflict-type.ts';
import { CONFLICT_TYPE_NAMES, CONFLICT_TYPES } from './conflicts/conflict-types.ts';
import { withDependencies } from './state/dependencies.ts';
import { FutureTarget } from './state/future-target.ts';
import type { PlanInput } from './state/plan-input.ts';
import { PlanLookup } from './state/plan-lookup.ts';
import { contentHash, type PlanItem } from './state/promotion-plan.ts';

export interface Planned {
  readonly items: readonly PlanItem[];
  readonly changes: readonly ResourceChange[];
  readonly conflicts: readonly Conflict[];
}

/**
 * Plans a promotion: its items and all its conflicts. Writes nothing. The same state gives the same items, so
 * a plan can be sealed and checked later.
 */
export async function planPromotion(
  em: PlatformEntityManager,
  changeSets: ChangeSets,
  input: PlanInput,
  resolutions: readonly Resolution[],
): Promise<Planned> {
  const { units, source, target, autoInclude } = input;
  const all = autoInclude ? await withDependencies(units, source, target, changeSets.types) : units;
  const whole = { ...input, units: all };
  return new Planner(em, changeSets, whole, await PlanLookup.read(em, whole), resolutions).plan();
}

/** The conflicts of a plan with other validated promotions to the same target. */
export function conflictsInPlan(items: readonly PlanItem[], others: readonly OtherPromotion[]): Conflict[] {
  return CONFLICT_TYPE_NAMES.flatMap((type) =>
    (CONFLICT_TYPES[type].inPlan?.(items, others) ?? []).map((finding) => toConflict(type, finding, null)),
  );
}

class Planner {
  readonly #em: PlatformEntityManager;
  readonly #changeSets: ChangeSets;
  readonly #input: PlanInput;
  readonly #lookup: PlanLookup;
  readonly #conflicts: ConflictCollector;

  constructor(
    em: PlatformEntityManager,
    changeSets: ChangeSets,
    input: PlanInput,
    lookup: PlanLookup,
    resolutions: readonly Resolution[],
  ) {
    this.#em = em;
    this.#changeSets = changeSets;
    this.#input = input;
    this.#lookup = lookup;
    this.#conflicts = new ConflictCollector(resolutions);
  }

  async plan(): Promise<Planned> {
    const candidates = await this.#candidates();
    for (const candidate of candidates) {
      await letOthersRun();
      await this.#findInCandidate(candidate);
    }
    const kept = await this.#settle(this.#withoutDropped(candidates));
    const dropped = this.#conflicts.dropped();
    // What stays as it is has nothing else to be decided.
    const conflicts = this.#conflicts.all.filter((one) => one.resolution !== null || !dropped.has(one.resourcePid));
    return { items: await this.#items(kept), changes: this.#changes(kept), conflicts };
  }

  async #candidates(): Promise<Candidate[]> {
    const { units, source } = this.#input;
    const candidates: Candidate[] = [];
    for (const unit of units) {
      await letOthersRun();
      const difference = compare(source.get(unit.resourcePid), this.#lookup.targetByPid.get(unit.resourcePid));
      if (!difference) continue;
      candidates.push(new Candidate(this.#em, this.#changeSets.types, this.#input, unit, difference, this.#lookup));
    }
    return candidates;
  }

  async #findInCandidate(candidate: Candidate): Promise<void> {
    for (const type of CONFLICT_TYPE_NAMES) {
      const findings = (await CONFLICT_TYPES[type].inCandidate?.(candidate)) ?? [];
      for (const finding of findings) this.#conflicts.report(type, { resource: candidate.difference, ...finding });
    }
  }

  /**
   * Looks at the target as it would be, until what a person leaves out is not needed by anything that is
   * kept.
   */
  async #settle(kept: readonly Candidate[]): Promise<readonly Candidate[]> {
    const before = new Set(this.#conflicts.all);
    const { targetCode, source, target: today } = this.#input;
    const differences = kept.map(({ difference }) => difference);
    const after = this.#after(kept);
    await letOthersRun();
    const target = new FutureTarget(targetCode, after, differences, source, today, this.#changeSets);
    for (const type of CONFLICT_TYPE_NAMES) {
      await letOthersRun();
      const findings = (await CONFLICT_TYPES[type].inTarget?.(target, this.#conflicts.reported(type))) ?? [];
      for (const finding of findings) this.#conflicts.report(type, finding);
    }
    const rest = this.#withoutDropped(kept);
    if (rest.length === kept.length) return kept;
    const dropped = this.#conflicts.dropped();
    this.#conflicts.keepOnly((one) => before.has(one) || dropped.has(one.resourcePid));
    return this.#settle(rest);
  }

  #withoutDropped(candidates: readonly Candidate[]): readonly Candidate[] {
    const dropped = this.#conflicts.dropped();
    return candidates.filter(({ difference }) => !dropped.has(difference.pid));
  }

  #after(kept: readonly Candidate[]): SnapshotEntry[] {
    const gone = new Set(
      kept.flatMap(({ difference, replaced }) => [difference.pid, ...(replaced ? [replaced.pid] : [])]),
    );
    const arriving = kept.flatMap(({ source }) => source ?? []);
    return [...this.#input.target.filter(({ pid }) => !gone.has(pid)), ...arriving];
  }

  async #items(kept: readonly Candidate[]): Promise<PlanItem[]> {
    const replaced = kept.flatMap((candidate) => candidate.replaced ?? []);
    const removals = replaced.flatMap((entry) => compare(undefined, entry) ?? []);
    const items: PlanItem[] = [];
    for (const difference of removals) items.push(await this.#item(difference, undefined, undefined));
    for (const { difference, source, before } of kept) {
      await letOthersRun();
      items.push(await this.#item(difference, source, before));
    }
    return items;
  }

  async #item(
    difference: ResourceDifference,
    source: SnapshotEntry | undefined,
    before: SnapshotEntry | undefined,
  ): Promise<PlanItem> {
    const { resourceType, pid, code, renamedFrom, sourceVersion, targetVersion } = difference;
    return {
      resourceType,
      pid,
      code,
      ...(renamedFrom !== undefined && { renamedFrom }),
      action: sourceVersion === null ? 'REMOVE' : targetVersion === null ? 'ADD' : 'UPDATE',
      sourceVersion,
      targetVersion,
      contentHash: contentHash(source),
      ddl: await ddlOf(this.#em, this.#input.targetCode, source, before, this.#lookup.catalog),
    };
  }

  #changes(kept: readonly Candidate[]): ResourceChange[] {
    const replaced = kept.flatMap((candidate) => candidate.replaced ?? []);
    const removed = kept.flatMap(({ source, target }) => (source ? [] : (target ?? [])));
    const leave = ({ resourceType, pid, code, version }: SnapshotEntry): ResourceChange => ({
      resourceType,
      pid,
      code,
      version,
      content: null,
    });
    // Removals first: a new resource may take the code of one that leaves.
    return [...[...replaced, ...removed].map(leave), ...kept.flatMap(({ source }) => source ?? [])];
  }
}
