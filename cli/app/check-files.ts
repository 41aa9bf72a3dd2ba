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
  // References to a broken file cannot be checked.
  if (problems.length > 0) return problems;
  const snapshot = new Snapshot('files', 0, resources, types);
  const byName = new Map(resources.map((file) => [nameOf(file), file]));
  for (const [place, problem] of Object.entries(await resourceChecks.problemsOf(snapshot, resources))) {
    const [name = '', path = ''] = place.split(' ');
    const file = byName.get(name);
    if (file) problems.push(...located(file, { [path]: problem }));
  }
  const warnings = resourceChecks.warningsAmong(resources);
  return [...problems, ...resources.flatMap((file) => located(file, warnings.of(file), 'warning'))];
}

function located(file: ResourceFile, found: FieldErrors, severity: Problem['severity'] = 'error'): Problem[] {
  return Object.entries(found).map(([path, problem]) => problemAt(file, path, `${path} ${String(problem)}`, severity));
}
