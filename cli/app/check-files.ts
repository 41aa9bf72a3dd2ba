import { offlineResourceChecks } from '../../src/offline.ts';
import type { FieldErrors } from '../../src/foundation/errors/application-error.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import type { ApplicationFiles, ResourceFile } from './application-files.ts';
import { nameOf } from './session.ts';
import { problemAt, type Problem } from './source-file.ts';

/**
 * Problems of an application's files as a whole, found without a service: the checks that the service
 * makes, but for those that ask Postgres.
 */
export async function checkFiles({ resources, problems: ofForm }: ApplicationFiles): Promise<readonly Problem[]> {
  const resourceChecks = offlineResourceChecks();
  const { types } = resourceChecks;
  const problems = [...ofForm];
  for (const file of resources) {
    const { resourceType, code, content } = file;
    if (types.find(resourceType)) problems.push(...located(file, types.problemsOfContent(resourceType, code, content)));
    else problems.push(problemAt(file, 'resourceType', `resourceType must be one of ${types.names.join(', ')}`));
  }
  // What is in a file that cannot be read is not known.
  if (ofForm.length > 0) return problems;
  const checkable = withoutBroken(resources, problems, (file) =>
    types.referencesOf(file).map(({ resourceType, code }) => nameOf({ resourceType, code })),
  );
  const snapshot = new Snapshot('files', 0, checkable, types);
  const byName = new Map(resources.map((file) => [nameOf(file), file]));
  for (const [place, problem] of Object.entries(await resourceChecks.problemsOf(snapshot, checkable))) {
    const [name = '', path = ''] = place.split(' ');
    const file = byName.get(name);
    if (file) problems.push(...located(file, { [path]: problem }));
  }
  // What a broken file would have is not known.
  if (checkable.length < resources.length) return problems;
  const warnings = resourceChecks.warningsAmong(resources);
  return [...problems, ...resources.flatMap((file) => located(file, warnings.of(file), 'warning'))];
}

/** The files that have no problem by themselves, and refer to none that has one. */
function withoutBroken(
  resources: readonly ResourceFile[],
  problems: readonly Problem[],
  namesIn: (file: ResourceFile) => readonly string[],
): readonly ResourceFile[] {
  const places = new Set(problems.map(({ file }) => file));
  const broken = new Set(resources.filter(({ file }) => places.has(file)).map(nameOf));
  let [left, before] = [resources.filter((file) => !broken.has(nameOf(file))), -1];
  while (left.length !== before) {
    before = left.length;
    left = left.filter((file) => {
      if (!namesIn(file).some((name) => broken.has(name))) return true;
      broken.add(nameOf(file));
      return false;
    });
  }
  return left;
}

function located(file: ResourceFile, found: FieldErrors, severity: Problem['severity'] = 'error'): Problem[] {
  return Object.entries(found).map(([path, problem]) => problemAt(file, path, `${path} ${String(problem)}`, severity));
}
