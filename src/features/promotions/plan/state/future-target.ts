import type { FieldErrors } from '../../../../foundation/errors/application-error.ts';
import type { ChangeSets } from '../../../../platform/metadata/changes/change-set.ts';
import type { Reference } from '../../../../platform/metadata/resources/resource-type.ts';
import { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';
import type { ResourceDifference } from '../../../environments/environment-diff.ts';
import type { SnapshotEntry } from '../../../environments/environment-snapshot.ts';
import { fulfils } from './dependencies.ts';

/** A reference to something that the target would not have. */
export interface DanglingReference {
  readonly entry: SnapshotEntry;
  readonly reference: Reference;
  readonly details: { readonly path: string; readonly field: string | null };
}

/** The target as it would be after the promotion. */
export class FutureTarget {
  readonly entries: readonly SnapshotEntry[];
  /** What the promotion changes. */
  readonly changed: readonly ResourceDifference[];
  /** The source's resources by pid. */
  readonly source: ReadonlyMap<string, SnapshotEntry>;
  readonly #before: readonly SnapshotEntry[];
  readonly #changeSets: ChangeSets;
  readonly #snapshot: Snapshot;
  #snapshotBefore: Snapshot | undefined;
  #dangling: readonly DanglingReference[] | undefined;

  constructor(
    environment: string,
    entries: readonly SnapshotEntry[],
    changed: readonly ResourceDifference[],
    source: ReadonlyMap<string, SnapshotEntry>,
    before: readonly SnapshotEntry[],
    changeSets: ChangeSets,
  ) {
    this.#before = before;
    this.entries = entries;
    this.changed = changed;
    this.source = source;
    this.#changeSets = changeSets;
    this.#snapshot = new Snapshot(environment, 0, entries, changeSets.types);
  }

  isChanged({ pid }: SnapshotEntry): boolean {
    return this.changed.some((difference) => difference.pid === pid);
  }

  referencesOf(entry: SnapshotEntry): Reference[] {
    return this.#changeSets.types.referencesOf(entry);
  }

  /** What the promotion brings without its needs, and what it breaks; not what has been broken in the target before. */
  get danglingReferences(): readonly DanglingReference[] {
    this.#dangling ??= this.entries.flatMap((entry) =>
      this.referencesOf(entry)
        .filter((reference) => this.#isDangling(reference))
        .filter((reference) => this.isChanged(entry) || fulfils(reference, this.#before))
        .map((reference) => ({ entry, reference, details: detailsOf(entry, reference) })),
    );
    return this.#dangling;
  }

  /** What the type of a resource has against it that no reference tells, such as the columns of a SQL data source. */
  problemsOf(entry: SnapshotEntry): Promise<FieldErrors> {
    if (this.isChanged(entry)) return this.#changeSets.problemsOf(this.#snapshot, [entry]);
    return this.#changeSets.newProblemsOf(() => this.#openSnapshotBefore(), this.#snapshot, [entry]);
  }

  #openSnapshotBefore(): Snapshot {
    const { environment } = this.#snapshot;
    this.#snapshotBefore ??= new Snapshot(environment, 0, this.#before, this.#changeSets.types);
    return this.#snapshotBefore;
  }

  #isDangling(reference: Reference): boolean {
    if (fulfils(reference, this.entries)) return false;
    // A model that is missing as a whole is mentioned once, not for each of its fields.
    return reference.field === undefined || fulfils({ ...reference, field: undefined }, this.entries);
  }
}

function detailsOf(entry: SnapshotEntry, { path, resourceType, code, field }: Reference) {
  return { path: `${entry.resourceType}/${entry.code} ${path} -> ${resourceType}/${code}`, field: field ?? null };
}
