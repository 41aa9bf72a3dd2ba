import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ResourceChecks } from '../../../platform/metadata/changes/resource-checks.ts';
import type { ResourceChange } from '../../../platform/metadata/changes/resource-change.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { compare, type ResourceDifference } from '../../environments/environment-diff.ts';
import type { ExportEntry } from '../../environments/environment-export.ts';
import { ddlOf } from '../../environments/environments.service.ts';
import { ProposedResource } from './state/proposed-resource.ts';
import { toConflict, type Conflict, type Resolution, ConflictCollector } from './conflict.ts';
import type { OtherPromotion } from './conflicts/conflict-type.ts';
import { CONFLICT_TYPE_NAMES, CONFLICT_TYPES } from './conflicts/conflict-types.ts';
import { withDependencies } from './state/dependencies.ts';
import { FutureTarget } from './state/future-target.ts';
import { readPlanLookup, type PlanInput, type PlanLookup } from './state/plan-lookup.ts';
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
  resourceChecks: ResourceChecks,
  input: PlanInput,
  resolutions: readonly Resolution[],
): Promise<Planned> {
  const { units, source, target, autoInclude } = input;
  const all = autoInclude ? await withDependencies(units, source, target, resourceChecks.types) : units;
  const whole = { ...input, units: all };
  const conflicts = new ConflictCollector(resolutions);
  const planning = { em, resourceChecks, input: whole, lookup: await readPlanLookup(em, whole), conflicts };
  const proposed = await proposeResources(planning);
  for (const resource of proposed) {
    await letOthersRun();
    await findConflictsIn(resource, conflicts);
  }
  const kept = await settle(planning, withoutDropped(planning, proposed));
  const dropped = conflicts.dropped();
  return {
    items: await itemsOf(planning, kept),
    changes: changesOf(kept),
    // What stays as it is has nothing else to be decided.
    conflicts: conflicts.all.filter((one) => one.resolution !== null || !dropped.has(one.resourcePid)),
  };
}

/** The conflicts of a plan with other validated promotions to the same target. */
export function conflictsInPlan(items: readonly PlanItem[], others: readonly OtherPromotion[]): Conflict[] {
  return CONFLICT_TYPE_NAMES.flatMap((type) =>
    (CONFLICT_TYPES[type].inPlan?.(items, others) ?? []).map((problem) => toConflict(type, problem, null)),
  );
}

/** A plan that is being made. */
interface Planning {
  readonly em: PlatformEntityManager;
  readonly resourceChecks: ResourceChecks;
  readonly input: PlanInput;
  readonly lookup: PlanLookup;
  readonly conflicts: ConflictCollector;
}

async function proposeResources({ em, resourceChecks, input, lookup }: Planning): Promise<ProposedResource[]> {
  const proposed: ProposedResource[] = [];
  for (const unit of input.units) {
    await letOthersRun();
    const difference = compare(input.source.get(unit.resourcePid), lookup.targetByPid.get(unit.resourcePid));
    if (difference) proposed.push(new ProposedResource(em, resourceChecks.types, input, unit, difference, lookup));
  }
  return proposed;
}

async function findConflictsIn(proposed: ProposedResource, conflicts: ConflictCollector): Promise<void> {
  for (const type of CONFLICT_TYPE_NAMES) {
    const problems = (await CONFLICT_TYPES[type].inResource?.(proposed)) ?? [];
    for (const problem of problems) conflicts.report(type, { resource: proposed.difference, ...problem });
  }
}

/**
 * Looks at the target as it would be, until what a person leaves out is not needed by anything that is
 * kept.
 */
async function settle(planning: Planning, kept: readonly ProposedResource[]): Promise<readonly ProposedResource[]> {
  const { input, conflicts, resourceChecks } = planning;
  const before = new Set(conflicts.all);
  const differences = kept.map(({ difference }) => difference);
  const after = entriesAfter(input.target, kept);
  await letOthersRun();
  const target = new FutureTarget(input.targetCode, after, differences, input.source, input.target, resourceChecks);
  for (const type of CONFLICT_TYPE_NAMES) {
    await letOthersRun();
    const problems = (await CONFLICT_TYPES[type].inTarget?.(target, conflicts.reported(type))) ?? [];
    for (const problem of problems) conflicts.report(type, problem);
  }
  const rest = withoutDropped(planning, kept);
  if (rest.length === kept.length) return kept;
  const dropped = conflicts.dropped();
  conflicts.keepOnly((one) => before.has(one) || dropped.has(one.resourcePid));
  return settle(planning, rest);
}

function withoutDropped({ conflicts }: Planning, proposed: readonly ProposedResource[]): readonly ProposedResource[] {
  const dropped = conflicts.dropped();
  return proposed.filter(({ difference }) => !dropped.has(difference.pid));
}

function entriesAfter(target: readonly ExportEntry[], kept: readonly ProposedResource[]): ExportEntry[] {
  const gone = new Set(
    kept.flatMap(({ difference, replaced }) => [difference.pid, ...(replaced ? [replaced.pid] : [])]),
  );
  return [...target.filter(({ pid }) => !gone.has(pid)), ...kept.flatMap(({ source }) => source ?? [])];
}

async function itemsOf(planning: Planning, kept: readonly ProposedResource[]): Promise<PlanItem[]> {
  const replaced = kept.flatMap((proposed) => proposed.replaced ?? []);
  const removals = replaced.flatMap((entry) => compare(undefined, entry) ?? []);
  const items: PlanItem[] = [];
  for (const difference of removals) items.push(await itemOf(planning, difference, undefined, undefined));
  for (const { difference, source, before } of kept) {
    await letOthersRun();
    items.push(await itemOf(planning, difference, source, before));
  }
  return items;
}

async function itemOf(
  { em, input, lookup }: Planning,
  difference: ResourceDifference,
  source: ExportEntry | undefined,
  before: ExportEntry | undefined,
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
    ddl: await ddlOf(em, input.targetCode, source, before, lookup.catalog),
  };
}

function changesOf(kept: readonly ProposedResource[]): ResourceChange[] {
  const replaced = kept.flatMap((proposed) => proposed.replaced ?? []);
  const removed = kept.flatMap(({ source, target }) => (source ? [] : (target ?? [])));
  const leave = ({ resourceType, pid, code, version }: ExportEntry): ResourceChange => {
    return { resourceType, pid, code, version, content: null };
  };
  // Removals first: a new resource may take the code of one that leaves.
  return [...[...replaced, ...removed].map(leave), ...kept.flatMap(({ source }) => source ?? [])];
}
