import type { PlatformEntityManager } from '../database/orm.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import type { ModelContent, ResourceContent, ResourceType } from './content.ts';
import type { Environment } from './environment.entity.ts';
import { publishModel } from './publish-model.ts';
import { danglingReferences } from './references.ts';
import { ResourceEntity, ResourceVersionEntity, type Resource } from './resource.entity.ts';
import { Snapshot, type SnapshotResource } from './snapshot.ts';

/** What a resource becomes in an environment; `content` null means that it leaves the environment. */
export interface ResourceChange {
  readonly resourceType: ResourceType;
  readonly pid: string;
  readonly code: string;
  readonly version: number;
  readonly content: ResourceContent | null;
}

/** A feature's own check of a resource, against the environment as it would be: path -> problem. */
export type ResourceCheck = (resource: SnapshotResource, after: Snapshot) => FieldErrors | Promise<FieldErrors>;

/** The one way in which the configuration of an environment changes. */
export class ChangeSets {
  readonly #checks: readonly ResourceCheck[];

  /** @param checks what features know about their resources and the metadata does not */
  constructor(checks: readonly ResourceCheck[]) {
    this.#checks = [(resource, after) => danglingReferences(after, resource), ...checks];
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
    throwIfInvalid(await this.problemsOf(new Snapshot(environment.code, 0, after), after));
    await em.flush();
    await em.execute(`set local lock_timeout = '2s'`);
    for (const { resourceType, code, content } of changes) {
      // A model that leaves keeps its table, out of everybody's reach.
      if (resourceType === 'MODEL' && content) await publishModel(em, environment.code, code, content as ModelContent);
    }
    environment.metadataVersion += 1;
    await em.flush();
  }

  /** What is wrong with resources in the light of the environment they are part of. */
  async problemsOf(after: Snapshot, resources: readonly SnapshotResource[]): Promise<FieldErrors> {
    const problems: FieldErrors = {};
    for (const resource of resources) {
      for (const check of this.#checks) {
        for (const [path, problem] of Object.entries(await check(resource, after))) {
          problems[`${resource.resourceType}/${resource.code} ${path}`] ??= problem;
        }
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
