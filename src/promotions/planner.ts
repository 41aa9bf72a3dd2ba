import { compare, type ResourceDifference } from '../environments/environment-diff.ts';
import { ddlOf } from '../environments/environments.service.ts';
import type { SnapshotEntry } from '../environments/environment-snapshot.ts';
import type { PlatformEntityManager } from '../database/orm.ts';
import type { ChangeSets, ResourceChange } from '../metadata/change-set.ts';
import type { ModelContent } from '../metadata/content.ts';
import { secretsOf } from '../metadata/secret-references.ts';
import { ResourceVersionEntity } from '../metadata/resource.entity.ts';
import { ConflictBook } from './conflict-book.ts';
import type { Conflict, Resolution } from './conflict.ts';
import { dataConflicts } from './data-conflicts.ts';
import { withDependencies } from './dependencies.ts';
import { contentHash, type PlanItem } from './promotion-plan.ts';
import type { Unit } from './promotion.entity.ts';
import { checkWhole } from './whole-target.ts';

/** What a plan is made from. */
export interface PlanInput {
  /** The source's resources by pid: of an environment, or of a snapshot. */
  readonly source: ReadonlyMap<string, SnapshotEntry>;
  readonly target: readonly SnapshotEntry[];
  readonly targetCode: string;
  /** The names of the secrets that the target has. */
  readonly targetSecrets: ReadonlySet<string>;
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
  readonly #book: ConflictBook;
  #units: readonly Unit[] = [];

  constructor(em: PlatformEntityManager, changeSets: ChangeSets, input: PlanInput) {
    this.#em = em;
    this.#changeSets = changeSets;
    this.#input = input;
    this.#book = new ConflictBook(input.resolutions);
    this.#targetByPid = new Map(input.target.map((entry) => [entry.pid, entry]));
  }

  async plan(): Promise<Planned> {
    const { units, source, target, autoInclude } = this.#input;
    this.#units = autoInclude ? withDependencies(units, source, target) : units;
    const kept: ResourceDifference[] = [];
    for (const unit of this.#units) {
      const difference = compare(this.#sourceOf(unit), this.#targetByPid.get(unit.resourcePid));
      if (difference && (await this.#check(difference, unit))) kept.push(difference);
    }
    const final = await this.#settle(kept);
    const dropped = this.#book.dropped();
    // What stays as it is has nothing else to be decided.
    const conflicts = this.#book.all.filter((one) => one.resolution !== null || !dropped.has(one.resourcePid));
    return { items: await this.#items(final), changes: this.#changes(final), conflicts };
  }

  /** Looks at the target as it would be. What a person leaves out may be what something else needs: so again, until nothing more goes. */
  async #settle(kept: readonly ResourceDifference[]): Promise<readonly ResourceDifference[]> {
    const before = this.#book.all;
    const { targetCode: code, source } = this.#input;
    await checkWhole({ code, entries: this.#after(kept), kept, source }, this.#changeSets, this.#book);
    const dropped = this.#book.dropped();
    const rest = kept.filter(({ pid }) => !dropped.has(pid));
    if (rest.length === kept.length) return kept;
    this.#book.keepOnly((one) => before.includes(one) || dropped.has(one.resourcePid));
    return this.#settle(rest);
  }

  #sourceOf({ resourcePid }: Unit): SnapshotEntry | undefined {
    return this.#input.source.get(resourcePid);
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
      keep = this.#book.report(difference, 'TARGET_NEWER', message, { sourceVersion, targetVersion }) && keep;
    }
    const left = this.#input.left.get(difference.pid);
    if (left !== undefined && left !== contentHash(target)) {
      const message = 'The target has changed since the promotion that is rolled back';
      keep = this.#book.report(difference, 'TARGET_NEWER', message, { sourceVersion, targetVersion }) && keep;
    }
    if (source && target && !this.#input.overwrites && source.version > target.version + 1) {
      this.#book.report(
        difference,
        'VERSION_GAP',
        `The target goes from version ${target.version} to ${source.version}`,
        {
          sourceVersion,
          targetVersion,
        },
      );
    }
    if (source && !target) keep = (await this.#checkAddition(difference, source, unit)) && keep;
    for (const secret of source ? secretsOf(source.resourceType, source.content) : []) {
      if (this.#input.targetSecrets.has(secret)) continue;
      const message = `The target has no secret ${secret}`;
      keep = this.#book.report(difference, 'SECRET_MISSING', message, { secret }) && keep;
    }
    // The table of a model belongs to its code: whoever has the code next has the records.
    if (!source && target && this.#isSucceeded(target)) return keep;
    const before = target ?? (source && this.#namesakeOf(source));
    for (const { type, message, details } of await dataConflicts(this.#em, this.#input.targetCode, source, before)) {
      keep = this.#book.report(difference, type, message, details) && keep;
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
      return this.#book.report(difference, 'DUPLICATE_CODE', `The target has another ${source.code}`, {
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
    return this.#book.report(difference, 'DELETED_IN_TARGET', 'The target had it and deleted it', {
      deletedAt: last.updatedAt,
      deletedBy: last.updatedBy,
    });
  }

  /** Whoever names a version, or imports a snapshot, wants just that. */
  #isDeliberate({ version }: Unit): boolean {
    return version !== undefined || this.#input.overwrites;
  }

  #after(kept: readonly ResourceDifference[]): SnapshotEntry[] {
    const gone = new Set([...kept, ...this.#replacedBy(kept)].map(({ pid }) => pid));
    const arriving = kept.flatMap(({ pid }) => this.#input.source.get(pid) ?? []);
    return [...this.#input.target.filter(({ pid }) => !gone.has(pid)), ...arriving];
  }

  #replacedBy(kept: readonly ResourceDifference[]): SnapshotEntry[] {
    return kept.flatMap(({ pid }) => this.#replaced.get(pid) ?? []);
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
