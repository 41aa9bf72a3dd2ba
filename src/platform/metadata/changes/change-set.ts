import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Environment } from '../environments/environment.entity.ts';
import { ResourceEntity, ResourceVersionEntity, type Resource } from '../resources/resource.entity.ts';
import type { EnvironmentResource } from '../resources/resource-type.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { danglingReferences } from './dangling-references.ts';

/** What a resource becomes in an environment; `content` null means that it leaves the environment. */
export interface ResourceChange {
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  readonly version: number;
  readonly content: object | null;
}

/** The one way in which the configuration of an environment changes. */
export class ChangeSets {
  readonly types: ResourceTypes;

  constructor(types: ResourceTypes) {
    this.types = types;
  }

  /**
   * Applies changes inside a transaction that holds the environment's row: resources, their history, the tables of
   * changed models, and the metadata version. Afterwards nothing may refer to something that is not there.
   * @throws VALIDATION_ERROR: `<type>/<code> <path>` -> problem
   */
  async apply(
    em: PlatformEntityManager,
    environment: Environment,
    changes: readonly ResourceChange[],
    userPid: string | null,
  ): Promise<void> {
    if (changes.length === 0) return;
    const current = await em.find(ResourceEntity, { environment: environment.code });
    const after = changes.reduce((resources, change) => put(em, environment.code, resources, change, userPid), current);
    throwIfInvalid(await this.problemsOf(new Snapshot(environment.code, 0, after, this.types), after));
    await em.flush();
    await em.execute(`set local lock_timeout = '2s'`);
    for (const { resourceType, code, content } of changes) {
      // A model that leaves keeps its table, out of reach.
      if (content) await this.types.find(resourceType)?.publish?.(em, environment.code, code, content);
    }
    environment.metadataVersion += 1;
    await em.flush();
  }

  /** What is wrong with resources among the others of their environment: `<type>/<code> <path>` -> problem. */
  async problemsOf(after: Snapshot, resources: readonly EnvironmentResource[]): Promise<FieldErrors> {
    const problems: FieldErrors = {};
    for (const resource of resources) {
      const found = {
        ...(await this.types.find(resource.resourceType)?.check?.(resource, after)),
        ...danglingReferences(resource, after, this.types),
      };
      for (const [path, problem] of Object.entries(found)) {
        problems[`${resource.resourceType}/${resource.code} ${path}`] = problem;
      }
    }
    return problems;
  }
}

/** Gives the resources as they are with the change. */
function put(
  em: PlatformEntityManager,
  environment: string,
  resources: Resource[],
  { pid, resourceType, code, version, content }: ResourceChange,
  userPid: string | null,
): Resource[] {
  const known = resources.find((resource) => resource.pid === pid);
  const stamp = { version, updatedBy: userPid, updatedAt: new Date() };
  em.create(ResourceVersionEntity, { environment, pid, resourceType, code, content, ...stamp });
  if (content === null) {
    if (known) em.remove(known);
    return resources.filter((resource) => resource !== known);
  }
  if (known) {
    em.assign(known, { code, content, ...stamp });
    return resources;
  }
  return [...resources, em.create(ResourceEntity, { environment, pid, resourceType, code, content, ...stamp })];
}
