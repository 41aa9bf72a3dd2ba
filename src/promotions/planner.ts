import { compare, type ResourceDifference } from '../environments/environment-diff.ts';
import { ddlOf } from '../environments/environments.service.ts';
import type { SnapshotEntry } from '../environments/environment-snapshot.ts';
import type { PlatformEntityManager } from '../database/orm.ts';
import type { ChangeSets, ResourceChange } from '../metadata/change-set.ts';
import type { ModelContent } from '../metadata/content.ts';
import { toModel } from '../metadata/model.ts';
import { referencesOf, type Reference } from '../metadata/references.ts';
import { ResourceVersionEntity } from '../metadata/resource.entity.ts';
import { Snapshot } from '../metadata/snapshot.ts';
import { CONFLICT_TYPES, type Conflict, type ConflictType, type Resolution } from './conflict.ts';
import { dataConflicts } from './data-conflicts.ts';
import { contentHash, type PlanItem } from './promotion-plan.ts';
import type { Unit } from './promotion.entity.ts';

/** What a plan is made from. */
export interface PlanInput {
  /** The source's resources by pid: of an environment, or of a snapshot. */
  readonly source: ReadonlyMap<string, SnapshotEntry>;
  readonly target: readonly SnapshotEntry[];
  readonly targetCode: string;
  readonly units: readonly Unit[];
  readonly resolutions: readonly Resolution[];
  readonly autoInclude: boolean;
  /** The source is a snapshot: it says what the target shall be, so that a newer target is no conflict. */
  readonly overwrites: boolean;
  /** Of a rollback: what the target has if nobody changed it since. Resource pid -> hash of its content, null for none. */
  readonly left: ReadonlyMap<string, string | null>;
}

export interface Planned {
  readonly items: readonly PlanItem[];
  readonly changes: readonly ResourceChange[];
  readonly conflicts: readonly Conflict[];
}

/**
 * Works out what a promotion would do and everything that stands against it, at once. It writes nothing. The same state
 * gives the same items, so a plan can be sealed and checked later.
 */
export async function planPromotion(
  em: PlatformEntityManager,
  changeSets: ChangeSets,
  input: PlanInput,
): Promise<Planned> {
  return new Planner(em, changeSets, input).plan();
}

class Planner {
  readonly #em: PlatformEntityManager;
  readonly #changeSets: ChangeSets;
  readonly #input: PlanInput;
  readonly #targetByPid: ReadonlyMap<string, SnapshotEntry>;
  /** What has to leave the target for a resource to come: pid of the one -> the other of the same code. */
  readonly #replaced = new Map<string, SnapshotEntry>();
  #units: readonly Unit[] = [];
  #conflicts: Conflict[] = [];

  constructor(em: PlatformEntityManager, changeSets: ChangeSets, input: PlanInput) {
    this.#em = em;
    this.#changeSets = changeSets;
    this.#input = input;
    this.#targetByPid = new Map(input.target.map((entry) => [entry.pid, entry]));
  }

  async plan(): Promise<Planned> {
    this.#units = this.#input.autoInclude ? this.#withDependencies(this.#input.units) : this.#input.units;
    const kept: ResourceDifference[] = [];
    for (const unit of this.#units) {
      const difference = compare(this.#sourceOf(unit), this.#targetByPid.get(unit.resourcePid));
      if (difference && (await this.#check(difference, unit))) kept.push(difference);
    }
    const final = await this.#settle(kept);
    const dropped = this.#dropped();
    // What stays as it is has nothing else to be decided.
    const conflicts = this.#conflicts.filter((one) => one.resolution !== null || !dropped.has(one.resourcePid));
    return { items: await this.#items(final), changes: this.#changes(final), conflicts };
  }

  /** Looks at the target as it would be. What a person leaves out may be what something else needs: so again, until nothing more goes. */
  async #settle(kept: readonly ResourceDifference[]): Promise<readonly ResourceDifference[]> {
    const before = [...this.#conflicts];
    await this.#checkWhole(kept);
    const dropped = this.#dropped();
    const rest = kept.filter(({ pid }) => !dropped.has(pid));
    if (rest.length === kept.length) return kept;
    this.#conflicts = this.#conflicts.filter((one) => before.includes(one) || dropped.has(one.resourcePid));
    return this.#settle(rest);
  }

  #sourceOf({ resourcePid }: Unit): SnapshotEntry | undefined {
    return this.#input.source.get(resourcePid);
  }

  /** The units with everything they need that the target lacks or has too old. */
  #withDependencies(units: readonly Unit[]): Unit[] {
    const all = new Map(units.map((unit) => [unit.resourcePid, unit]));
    const queue = [...units];
    for (let unit = queue.shift(); unit; unit = queue.shift()) {
      const entry = this.#sourceOf(unit);
      for (const reference of entry ? referencesOf(entry.resourceType, entry.content) : []) {
        const needed = this.#inSource(reference);
        if (!needed || all.has(needed.pid) || this.#fulfils(reference, this.#input.target)) continue;
        const included = { resourceType: needed.resourceType, resourcePid: needed.pid };
        all.set(needed.pid, included);
        queue.push(included);
      }
    }
    return [...all.values()];
  }

  #inSource({ resourceType, code }: Reference): SnapshotEntry | undefined {
    return [...this.#input.source.values()].find((entry) => entry.resourceType === resourceType && entry.code === code);
  }

  #fulfils({ resourceType, code, field }: Reference, entries: readonly SnapshotEntry[]): boolean {
    const found = entries.find((entry) => entry.resourceType === resourceType && entry.code === code);
    if (!found) return false;
    return field === undefined || toModel('target', code, found.content as ModelContent).fields.has(field);
  }

  /** Whether the resource stays in the plan, looked at by itself. */
  async #check(difference: ResourceDifference, unit: Unit): Promise<boolean> {
    const source = this.#sourceOf(unit);
    const target = this.#targetByPid.get(difference.pid);
    const { sourceVersion, targetVersion } = difference;
    let keep = true;
    if (source && target && !this.#isDeliberate(unit) && source.version <= target.version) {
      const newer = source.version < target.version;
      const message = newer
        ? `The target has version ${target.version}, the source ${source.version}`
        : `Both have version ${source.version}, with different contents`;
      keep = this.#report(difference, 'TARGET_NEWER', message, { sourceVersion, targetVersion }) && keep;
    }
    const left = this.#input.left.get(difference.pid);
    if (left !== undefined && left !== contentHash(target)) {
      const message = 'The target has changed since the promotion that is rolled back';
      keep = this.#report(difference, 'TARGET_NEWER', message, { sourceVersion, targetVersion }) && keep;
    }
    if (source && target && !this.#input.overwrites && source.version > target.version + 1) {
      this.#report(difference, 'VERSION_GAP', `The target goes from version ${target.version} to ${source.version}`, {
        sourceVersion,
        targetVersion,
      });
    }
    if (source && !target) keep = (await this.#checkAddition(difference, source, unit)) && keep;
    // The table of a model belongs to its code: whoever has the code next has the records.
    if (!source && target && this.#isSucceeded(target)) return keep;
    const before = target ?? (source && this.#namesakeOf(source));
    for (const { type, message, details } of await dataConflicts(this.#em, this.#input.targetCode, source, before)) {
      keep = this.#report(difference, type, message, details) && keep;
    }
    return keep;
  }

  #namesakeOf({ resourceType, code }: SnapshotEntry): SnapshotEntry | undefined {
    return this.#input.target.find((entry) => entry.resourceType === resourceType && entry.code === code);
  }

  /** Whether the promotion brings another resource of the same type and code. */
  #isSucceeded({ resourceType, code }: SnapshotEntry): boolean {
    return this.#units.some((unit) => {
      const source = this.#sourceOf(unit);
      return source?.resourceType === resourceType && source.code === code;
    });
  }

  #leaves({ pid }: SnapshotEntry): boolean {
    return !this.#input.source.has(pid) && this.#units.some(({ resourcePid }) => resourcePid === pid);
  }

  async #checkAddition(difference: ResourceDifference, source: SnapshotEntry, unit: Unit): Promise<boolean> {
    const namesake = this.#namesakeOf(source);
    if (namesake && !this.#leaves(namesake)) {
      const { pid } = difference;
      this.#replaced.set(pid, namesake);
      if (this.#input.overwrites) return true;
      return this.#report(difference, 'DUPLICATE_CODE', `The target has another ${source.code}`, {
        targetPid: namesake.pid,
      });
    }
    if (namesake) return true;
    const [last] = await this.#em.find(
      ResourceVersionEntity,
      { environment: this.#input.targetCode, pid: source.pid },
      { orderBy: { id: 'desc' }, limit: 1 },
    );
    if (last?.content !== null || this.#isDeliberate(unit)) return true;
    return this.#report(difference, 'DELETED_IN_TARGET', 'The target had it and deleted it', {
      deletedAt: last.updatedAt,
      deletedBy: last.updatedBy,
    });
  }

  /** Whoever names a version, or imports a snapshot, wants just that. */
  #isDeliberate({ version }: Unit): boolean {
    return version !== undefined || this.#input.overwrites;
  }

  /** What only shows in the target as it would be: references to what is not there, or would not be any more. */
  async #checkWhole(kept: readonly ResourceDifference[]): Promise<void> {
    const after = this.#after(kept);
    const moved = new Set(kept.map(({ pid }) => pid));
    for (const entry of after) {
      for (const reference of referencesOf(entry.resourceType, entry.content)) {
        if (this.#fulfils(reference, after)) continue;
        // A model that is not there at all is mentioned once, not for each of its fields.
        if (reference.field !== undefined && !this.#fulfils({ ...reference, field: undefined }, after)) continue;
        const removed = kept.find((one) => one.code === reference.code && one.resourceType === reference.resourceType);
        const path = `${entry.resourceType}/${entry.code} ${reference.path} -> ${reference.resourceType}/${reference.code}`;
        const details = { path, field: reference.field ?? null };
        if (!moved.has(entry.pid) && removed) {
          this.#report(removed, 'REFERENCED_REMOVAL', `${entry.resourceType} ${entry.code} refers to it`, details);
        } else if (moved.has(entry.pid)) {
          const what = reference.field === undefined ? reference.code : `${reference.code}.${reference.field}`;
          const available = this.#inSource(reference) !== undefined;
          this.#report(entry, 'MISSING_DEPENDENCY', `${what} is not in the target`, { ...details, available });
        }
      }
    }
    const whole = new Snapshot(this.#input.targetCode, 0, after);
    const reported = this.#conflicts.filter(({ type }) => type === 'MISSING_DEPENDENCY');
    const known = new Set(reported.map(({ resourcePid }) => resourcePid));
    for (const entry of after.filter(({ pid }) => moved.has(pid) && !known.has(pid))) {
      const problems = await this.#changeSets.problemsOf(whole, [entry]);
      for (const [path, problem] of Object.entries(problems)) {
        this.#report(entry, 'MISSING_DEPENDENCY', `${path} ${problem}`, { path, available: false });
      }
    }
  }

  #after(kept: readonly ResourceDifference[]): SnapshotEntry[] {
    const gone = new Set([...kept, ...this.#replacedBy(kept)].map(({ pid }) => pid));
    const arriving = kept.flatMap(({ pid }) => this.#input.source.get(pid) ?? []);
    return [...this.#input.target.filter(({ pid }) => !gone.has(pid)), ...arriving];
  }

  #replacedBy(kept: readonly ResourceDifference[]): SnapshotEntry[] {
    return kept.flatMap(({ pid }) => this.#replaced.get(pid) ?? []);
  }

  /** Resources that a person decided to leave as they are. */
  #dropped(): Set<string> {
    const chosen = this.#conflicts.filter(({ resolution }) => resolution === 'skip' || resolution === 'keep_target');
    return new Set(chosen.map(({ resourcePid }) => resourcePid));
  }

  #resolutionOf(resourcePid: string, type: ConflictType) {
    const { resolutions } = CONFLICT_TYPES[type];
    const chosen = this.#input.resolutions.find((one) => one.resourcePid === resourcePid && one.type === type);
    return chosen && (resolutions as readonly string[]).includes(chosen.resolution) ? chosen.resolution : null;
  }

  /** Notes a conflict once. False when the person's choice takes the resource out of the plan. */
  #report(
    { resourceType, pid, code }: Pick<ResourceDifference, 'resourceType' | 'pid' | 'code'>,
    type: ConflictType,
    message: string,
    details: Readonly<Record<string, unknown>>,
  ): boolean {
    const { severity, resolutions } = CONFLICT_TYPES[type];
    const resolution = this.#resolutionOf(pid, type);
    this.#conflicts.push({
      type,
      severity,
      resourceType,
      resourcePid: pid,
      code,
      message,
      details,
      resolutions,
      resolution,
    });
    return resolution !== 'skip' && resolution !== 'keep_target';
  }

  async #items(kept: readonly ResourceDifference[]): Promise<PlanItem[]> {
    const removals = this.#replacedBy(kept).flatMap((entry) => compare(undefined, entry) ?? []);
    const items: PlanItem[] = [];
    for (const difference of [...removals, ...kept]) {
      const { resourceType, pid, code, sourceVersion, targetVersion } = difference;
      const source = sourceVersion === null ? undefined : this.#input.source.get(pid);
      items.push({
        resourceType,
        pid,
        code,
        action: sourceVersion === null ? 'REMOVE' : targetVersion === null ? 'ADD' : 'UPDATE',
        sourceVersion,
        targetVersion,
        contentHash: contentHash(source),
        ddl: await ddlOf(this.#em, this.#input.targetCode, difference, source?.content as ModelContent | undefined),
      });
    }
    return items;
  }

  #changes(kept: readonly ResourceDifference[]): ResourceChange[] {
    const removals = [
      ...this.#replacedBy(kept),
      ...kept.flatMap(({ pid }) => (this.#input.source.has(pid) ? [] : (this.#targetByPid.get(pid) ?? []))),
    ];
    const arriving = kept.flatMap(({ pid }) => this.#input.source.get(pid) ?? []);
    const leave = ({ resourceType, pid, code, version }: SnapshotEntry) => ({
      resourceType,
      pid,
      code,
      version,
      content: null,
    });
    // Removals first: a new resource may take the code of one that leaves.
    return [...removals.map(leave), ...arriving];
  }
}
