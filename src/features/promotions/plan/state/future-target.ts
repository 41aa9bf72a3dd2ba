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
  readonly #changeSets: ChangeSets;
  readonly #snapshot: Snapshot;
  #dangling: readonly DanglingReference[] | undefined;

  constructor(
    environment: string,
    entries: readonly SnapshotEntry[],
    changed: readonly ResourceDifference[],
    source: ReadonlyMap<string, SnapshotEntry>,
    changeSets: ChangeSets,
  ) {
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

  get danglingReferences(): readonly DanglingReference[] {
    this.#dangling ??= this.entries.flatMap((entry) =>
      this.referencesOf(entry)
        .filter((reference) => this.#isDangling(reference))
        .map((reference) => ({ entry, reference, details: detailsOf(entry, reference) })),
    );
    return this.#dangling;
  }

  /** What the type of a resource has against it that no reference tells, such as the columns of a SQL data source. */
  problemsOf(entry: SnapshotEntry): Promise<FieldErrors> {
    return this.#changeSets.problemsOf(this.#snapshot, [entry]);
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
