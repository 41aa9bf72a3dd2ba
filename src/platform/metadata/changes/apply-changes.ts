import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Environment } from '../environments/environment.entity.ts';
import { ResourceEntity, ResourceVersionEntity, type Resource } from '../resources/resource.entity.ts';
import type { EnvironmentResource, PublishedChange } from '../resources/resource-type.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { followersOf } from './follow-renames.ts';
import type { ResourceChange } from './resource-change.ts';
import type { ResourceChecks } from './resource-checks.ts';

/**
 * The one way in which the configuration of an environment changes, inside a transaction that holds the
 * environment's row: resources, their history, the tables of changed models, and the metadata version.
 * Nothing may break by it; what was invalid before does not stand in the way.
 * @throws VALIDATION_ERROR: `<type>/<code> <path>` -> problem
 */
export async function applyChanges(
  resourceChecks: ResourceChecks,
  em: PlatformEntityManager,
  environment: Environment,
  given: readonly ResourceChange[],
  userPid: string | null,
): Promise<void> {
  if (given.length === 0) return;
  const current = await em.find(ResourceEntity, { environment: environment.code });
  const before = current.map(toPlain);
  const changes = [...given, ...(await followersOf(resourceChecks.types, em, environment.code, before, given))];
  const resources = new Map(current.map((resource) => [resource.pid, resource]));
  for (const change of changes) put(em, environment.code, resources, change, userPid);
  const after = [...resources.values()];
  throwIfInvalid(await problemsAfter(resourceChecks, environment.code, before, after, changes));
  await em.flush();
  await sqlRunnerOf(em).query(`set local lock_timeout = '2s'`);
  const contents = new Map(before.map((resource) => [`${resource.resourceType}/${resource.code}`, resource.content]));
  for (const type of new Set(changes.map(({ resourceType }) => resourceType))) {
    // A model that leaves keeps its table, out of reach.
    const published = changes.flatMap(({ resourceType, code, content }): PublishedChange[] =>
      resourceType === type && content ? [{ code, content, before: contents.get(`${type}/${code}`) }] : [],
    );
    if (published.length > 0) await resourceChecks.types.find(type)?.publish?.(em, environment.code, published);
  }
  environment.metadataVersion += 1;
  await em.flush();
}

/** A copy, which `put` does not change. */
function toPlain({ resourceType, code, content, pid, version }: Resource): EnvironmentResource {
  return { resourceType, code, content, pid, version };
}

/** Makes the change among the resources by pid. */
function put(
  em: PlatformEntityManager,
  environment: string,
  resources: Map<string, Resource>,
  { pid, resourceType, code, version, content }: ResourceChange,
  userPid: string | null,
): void {
  const known = resources.get(pid);
  const stamp = { version, updatedBy: userPid, updatedAt: new Date() };
  em.create(ResourceVersionEntity, { environment, pid, resourceType, code, content, ...stamp });
  if (content === null) {
    if (known) em.remove(known);
    resources.delete(pid);
  } else if (known) {
    em.assign(known, { code, content, ...stamp });
  } else {
    resources.set(pid, em.create(ResourceEntity, { environment, pid, resourceType, code, content, ...stamp }));
  }
}

/** Problems of the changed resources, and what the changes break in the others. */
async function problemsAfter(
  resourceChecks: ResourceChecks,
  environment: string,
  before: readonly EnvironmentResource[],
  after: readonly Resource[],
  changes: readonly ResourceChange[],
): Promise<FieldErrors> {
  const changed = new Set(changes.map(({ pid }) => pid));
  const snapshot = new Snapshot(environment, 0, after, resourceChecks.types);
  const problems = await resourceChecks.problemsOf(
    snapshot,
    after.filter(({ pid }) => changed.has(pid)),
  );
  const broken = await resourceChecks.newProblemsOf(
    () => new Snapshot(environment, 0, before, resourceChecks.types),
    snapshot,
    after.filter(({ pid }) => !changed.has(pid)),
  );
  return { ...problems, ...broken };
}
