import type { FieldErrors } from '../../../../foundation/errors/application-error.ts';
import type { ResourceChecks } from '../../../../platform/metadata/changes/resource-checks.ts';
import type { Reference } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ResourceWarnings } from '../../../../platform/metadata/changes/resource-warnings.ts';
import { letOthersRun } from '../../../../foundation/jobs/turns.ts';
import { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';
import type { ResourceDifference } from '../../../environments/environment-diff.ts';
import type { ExportEntry } from '../../../environments/environment-export.ts';
import { ResourceIndex } from './resource-index.ts';

/** A reference to something that the target would not have. */
export interface DanglingReference {
  readonly entry: ExportEntry;
  readonly reference: Reference;
  readonly details: { readonly path: string; readonly field: string | null };
}

/** The target as it would be after the promotion. */
export class FutureTarget {
  readonly entries: readonly ExportEntry[];
  readonly #index: ResourceIndex;
  readonly #source: ResourceIndex;
  readonly #changed: ResourceIndex<ResourceDifference>;
  readonly #changedPids: ReadonlySet<string>;
  readonly #before: readonly ExportEntry[];
  readonly #indexBefore: ResourceIndex;
  readonly #references = new Map<ExportEntry, Reference[]>();
  readonly #resourceChecks: ResourceChecks;
  readonly #snapshot: Snapshot;
  #snapshotBefore: Snapshot | undefined;
  #warnings: { readonly before: ResourceWarnings; readonly after: ResourceWarnings } | undefined;
  #dangling: readonly DanglingReference[] | undefined;

  constructor(
    environment: string,
    entries: readonly ExportEntry[],
    changed: readonly ResourceDifference[],
    source: ReadonlyMap<string, ExportEntry>,
    before: readonly ExportEntry[],
    resourceChecks: ResourceChecks,
  ) {
    this.entries = entries;
    this.#index = new ResourceIndex(entries);
    this.#source = new ResourceIndex(source.values());
    this.#changed = new ResourceIndex(changed);
    this.#changedPids = new Set(changed.map(({ pid }) => pid));
    this.#before = before;
    this.#indexBefore = new ResourceIndex(before);
    this.#resourceChecks = resourceChecks;
    this.#snapshot = new Snapshot(environment, 0, entries, resourceChecks.types);
  }

  isChanged({ pid }: ExportEntry): boolean {
    return this.#changedPids.has(pid);
  }

  /** What the promotion does with the resource of this type and code. */
  changeOf(name: Pick<Reference, 'resourceType' | 'code'>): ResourceDifference | undefined {
    return this.#changed.find(name);
  }

  isInSource(name: Pick<Reference, 'resourceType' | 'code'>): boolean {
    return this.#source.find(name) !== undefined;
  }

  referencesOf(entry: ExportEntry): readonly Reference[] {
    const references = this.#references.get(entry) ?? this.#resourceChecks.types.referencesOf(entry);
    this.#references.set(entry, references);
    return references;
  }

  /**
   * What the promotion brings without its needs, and what it breaks; not what has been broken in the target
   * before.
   */
  async danglingReferences(): Promise<readonly DanglingReference[]> {
    if (this.#dangling) return this.#dangling;
    const dangling: DanglingReference[] = [];
    for await (const entry of this.each()) {
      const references = this.referencesOf(entry)
        .filter((reference) => this.#isDangling(reference))
        .filter((reference) => this.isChanged(entry) || this.#indexBefore.fulfils(reference));
      dangling.push(...references.map((reference) => ({ entry, reference, details: detailsOf(entry, reference) })));
    }
    this.#dangling = dangling;
    return dangling;
  }

  /** The entries one by one. Others run in between. */
  async *each(): AsyncGenerator<ExportEntry> {
    for (const entry of this.entries) {
      await letOthersRun();
      yield entry;
    }
  }

  /**
   * What the type of a resource has against it that no reference tells, such as the columns of a SQL data
   * source.
   */
  problemsOf(entry: ExportEntry): Promise<FieldErrors> {
    if (this.isChanged(entry)) return this.#resourceChecks.problemsOf(this.#snapshot, [entry]);
    return this.#resourceChecks.newProblemsOf(() => this.#openSnapshotBefore(), this.#snapshot, [entry]);
  }

  /** What the examples of a resource show in the target. @param until in milliseconds since 1970 */
  async failingExamplesOf(entry: ExportEntry, until: number): Promise<FieldErrors> {
    const type = this.#resourceChecks.types.find(entry.resourceType);
    return (await type?.failingExamples?.(entry, this.#snapshot, until)) ?? {};
  }

  /**
   * What it names and the target would lack; of a resource that stays as it is, what it would lack by the
   * promotion.
   */
  warningsOf(entry: ExportEntry): FieldErrors {
    this.#warnings ??= {
      before: this.#resourceChecks.warningsAmong(this.#before),
      after: this.#resourceChecks.warningsAmong(this.entries),
    };
    const found = this.#warnings.after.unknownIn(entry);
    if (this.isChanged(entry) || Object.keys(found).length === 0) return found;
    const known = this.#warnings.before.unknownIn(entry);
    return Object.fromEntries(Object.entries(found).filter(([path]) => !Object.hasOwn(known, path)));
  }

  #openSnapshotBefore(): Snapshot {
    const { environment } = this.#snapshot;
    this.#snapshotBefore ??= new Snapshot(environment, 0, this.#before, this.#resourceChecks.types);
    return this.#snapshotBefore;
  }

  #isDangling(reference: Reference): boolean {
    if (this.#index.fulfils(reference)) return false;
    // A model that is missing as a whole is mentioned once, not for each of its fields.
    return reference.field === undefined || this.#index.fulfils({ ...reference, field: undefined });
  }
}

function detailsOf(entry: ExportEntry, { path, resourceType, code, field }: Reference) {
  return { path: `${entry.resourceType}/${entry.code} ${path} -> ${resourceType}/${code}`, field: field ?? null };
}
