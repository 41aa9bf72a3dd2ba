import { offlineResourceChecks } from '../../src/offline.ts';
import type { FieldErrors } from '../../src/foundation/errors/application-error.ts';
import type { ResourceTypes } from '../../src/platform/metadata/resources/resource-types.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import type { ApplicationFiles, ResourceFile } from './application-files.ts';
import { readData } from './data-files.ts';
import { isConsequence, repaired, type RepairedFile } from './repaired-files.ts';
import { nameOf } from './session.ts';
import { problemAt, type Problem } from './source-file.ts';

/** What was found in the files of an application. */
export interface CheckedFiles {
  readonly problems: readonly Problem[];
  /** The configuration as far as it is right; null where some of it could not be read. */
  readonly snapshot: Snapshot | null;
}

/**
 * Problems of an application's files as a whole, found without a service: the checks that the service
 * makes, but for those that ask Postgres. What is wrong in one file keeps no other from being checked.
 */
export async function checkResources({
  resources,
  problems: ofForm,
  unreadable,
}: ApplicationFiles): Promise<CheckedFiles> {
  const resourceChecks = offlineResourceChecks();
  const { types } = resourceChecks;
  const problems = [...ofForm];
  const usable: RepairedFile[] = [];
  for (const file of resources) {
    const { resourceType, code, content } = file;
    if (!types.find(resourceType)) {
      problems.push(problemAt(file, 'resourceType', `resourceType must be one of ${types.names.join(', ')}`));
      continue;
    }
    const problemsOf = (of: object) => types.problemsOfContent(resourceType, code, of);
    problems.push(...located(file, problemsOf(content)));
    const whole = repaired(file, problemsOf);
    if (whole) usable.push(whole);
  }
  const checkable = withoutUnknown(usable, resources, unreadable, types);
  const lost = new Set(checkable.flatMap((one) => [...one.lost]));
  const contents = checkable.map(({ file }) => file);
  const snapshot = new Snapshot('files', 0, contents, types);
  const byName = new Map(resources.map((file) => [nameOf(file), file]));
  for (const [place, problem] of Object.entries(await resourceChecks.problemsOf(snapshot, contents))) {
    const [name = '', path = ''] = place.split(' ');
    const file = byName.get(name);
    if (file && !isConsequence(file, path, String(problem), lost)) problems.push(...located(file, { [path]: problem }));
  }
  // What a file that could not be read or repaired would have is not known.
  if (unreadable.length > 0 || checkable.length < resources.length) return { problems, snapshot: null };
  const warnings = resourceChecks.warningsAmong(contents);
  for (const file of contents) {
    const found = Object.entries(warnings.of(file)).filter(
      ([path, warning]) => !isConsequence(file, path, String(warning), lost),
    );
    problems.push(...located(file, Object.fromEntries(found), 'warning'));
  }
  return { problems, snapshot };
}

/** As `checkResources`, with users and records; those that a module makes are checked when it runs. */
export async function checkFiles(files: ApplicationFiles): Promise<readonly Problem[]> {
  const { problems, snapshot } = await checkResources(files);
  if (snapshot === null) return problems;
  return [...problems, ...(await readData(files.directory, snapshot, false)).problems];
}

/** Those that refer to no resource of which nothing is known. */
function withoutUnknown(
  usable: readonly RepairedFile[],
  all: readonly ResourceFile[],
  unreadable: ApplicationFiles['unreadable'],
  types: ResourceTypes,
): readonly RepairedFile[] {
  const named = new Set(usable.map(({ file }) => nameOf(file)));
  const unknown = new Set([
    ...all.map(nameOf).filter((name) => !named.has(name)),
    ...unreadable.flatMap((name) => name ?? []),
  ]);
  // A file that does not even say what it has may have whatever is missing.
  const mayBeAnything = unreadable.includes(null);
  let [left, before] = [usable, -1];
  while (left.length !== before) {
    before = left.length;
    left = left.filter(({ file }) => {
      const references = types.referencesOf(file).map(({ resourceType, code }) => nameOf({ resourceType, code }));
      if (!references.some((name) => unknown.has(name) || (mayBeAnything && !named.has(name)))) return true;
      unknown.add(nameOf(file));
      return false;
    });
  }
  return left;
}

function located(file: ResourceFile, found: FieldErrors, severity: Problem['severity'] = 'error'): Problem[] {
  return Object.entries(found).map(([path, problem]) => problemAt(file, path, `${path} ${String(problem)}`, severity));
}
