import type { ResourceDifference } from '../environments/environment-diff.ts';
import type { SnapshotEntry } from '../environments/environment-snapshot.ts';
import type { ChangeSets } from '../metadata/change-set.ts';
import { referencesOf, type Reference } from '../metadata/references.ts';
import { Snapshot } from '../metadata/snapshot.ts';
import type { ConflictBook } from './conflict-book.ts';
import { findReferred, fulfils } from './dependencies.ts';

/** The target as it would be. */
export interface WholeTarget {
  readonly code: string;
  readonly entries: readonly SnapshotEntry[];
  /** What the promotion changes in it. */
  readonly kept: readonly ResourceDifference[];
  readonly source: ReadonlyMap<string, SnapshotEntry>;
}

/** What only shows in the target as it would be: references to what is not there, or would not be any more. */
export async function checkWhole(target: WholeTarget, changeSets: ChangeSets, book: ConflictBook): Promise<void> {
  for (const entry of target.entries) {
    for (const reference of referencesOf(entry.resourceType, entry.content))
      checkReference(target, entry, reference, book);
  }
  await checkByFeatures(target, changeSets, book);
}

function checkReference(
  { entries, kept, source }: WholeTarget,
  entry: SnapshotEntry,
  reference: Reference,
  book: ConflictBook,
): void {
  if (fulfils(reference, entries)) return;
  // A model that is not there at all is mentioned once, not for each of its fields.
  if (reference.field !== undefined && !fulfils({ ...reference, field: undefined }, entries)) return;
  const path = `${entry.resourceType}/${entry.code} ${reference.path} -> ${reference.resourceType}/${reference.code}`;
  const details = { path, field: reference.field ?? null };
  if (kept.some(({ pid }) => pid === entry.pid)) {
    const what = reference.field === undefined ? reference.code : `${reference.code}.${reference.field}`;
    const available = findReferred(reference, source) !== undefined;
    book.report(entry, 'MISSING_DEPENDENCY', `${what} is not in the target`, { ...details, available });
    return;
  }
  const removed = kept.find((one) => one.code === reference.code && one.resourceType === reference.resourceType);
  if (removed) book.report(removed, 'REFERENCED_REMOVAL', `${entry.resourceType} ${entry.code} refers to it`, details);
}

/**
 * What the features know of their resources and no reference tells, such as the columns of a SQL data source. A resource that
 * stays as it is can break, too, when a model beneath it changes.
 */
async function checkByFeatures(
  { code, entries, kept }: WholeTarget,
  changeSets: ChangeSets,
  book: ConflictBook,
): Promise<void> {
  const whole = new Snapshot(code, 0, entries);
  const told = new Set(book.all.map(({ type, resourcePid }) => `${type} ${resourcePid}`));
  for (const entry of entries) {
    const moved = kept.some(({ pid }) => pid === entry.pid);
    const models = moved ? [] : referencesOf(entry.resourceType, entry.content).map((reference) => reference.code);
    const changed = kept.filter((one) => one.resourceType === 'MODEL' && models.includes(one.code));
    const culprits = moved ? [entry] : changed;
    const type = moved ? 'MISSING_DEPENDENCY' : 'REFERENCED_REMOVAL';
    if (culprits.length === 0 || culprits.some(({ pid }) => told.has(`${type} ${pid}`))) continue;
    const problems = await changeSets.problemsOf(whole, [entry]);
    for (const [path, problem] of Object.entries(problems)) {
      for (const culprit of culprits) book.report(culprit, type, `${path} ${problem}`, { path, available: false });
    }
  }
}
