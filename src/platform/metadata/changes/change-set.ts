import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { Environment } from '../environments/environment.entity.ts';
import { ResourceEntity, ResourceVersionEntity, type Resource } from '../resources/resource.entity.ts';
import type { EnvironmentResource, PublishedChange } from '../resources/resource-type.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { ResourceWarnings } from './resource-warnings.ts';
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

  readonly #shippedKeys: ReadonlySet<string>;

  /** @param shippedKeys the keys of the program's own texts */
  constructor(types: ResourceTypes, shippedKeys: ReadonlySet<string>) {
    this.types = types;
    this.#shippedKeys = shippedKeys;
  }

  /**
   * Applies changes inside a transaction that holds the environment's row: resources, their history, the
   * tables of changed models, and the metadata version. Nothing may break by it; what was invalid before does
   * not stand in the way.
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
    const before = current.map(toPlain);
    const resources = new Map(current.map((resource) => [resource.pid, resource]));
    for (const change of changes) put(em, environment.code, resources, change, userPid);
    const after = [...resources.values()];
    throwIfInvalid(await this.#problemsAfter(environment.code, before, after, changes));
    await em.flush();
    await em.execute(`set local lock_timeout = '2s'`);
    const contents = new Map(before.map((resource) => [`${resource.resourceType}/${resource.code}`, resource.content]));
    for (const type of new Set(changes.map(({ resourceType }) => resourceType))) {
      // A model that leaves keeps its table, out of reach.
      const published = changes.flatMap(({ resourceType, code, content }): PublishedChange[] =>
        resourceType === type && content ? [{ code, content, before: contents.get(`${type}/${code}`) }] : [],
      );
      if (published.length > 0) await this.types.find(type)?.publish?.(em, environment.code, published);
    }
    environment.metadataVersion += 1;
    await em.flush();
  }

  /** Problems of the changed resources, and what the changes break in the others. */
  async #problemsAfter(
    environment: string,
    before: readonly EnvironmentResource[],
    after: readonly Resource[],
    changes: readonly ResourceChange[],
  ): Promise<FieldErrors> {
    const changed = new Set(changes.map(({ pid }) => pid));
    const snapshot = new Snapshot(environment, 0, after, this.types);
    const problems = await this.problemsOf(
      snapshot,
      after.filter(({ pid }) => changed.has(pid)),
    );
    const broken = await this.newProblemsOf(
      () => new Snapshot(environment, 0, before, this.types),
      snapshot,
      after.filter(({ pid }) => !changed.has(pid)),
    );
    return { ...problems, ...broken };
  }

  /** As `problemsOf`, of resources that stay as they are, without what was wrong with them before. */
  async newProblemsOf(
    before: () => Snapshot,
    after: Snapshot,
    resources: readonly EnvironmentResource[],
  ): Promise<FieldErrors> {
    const problems = await this.problemsOf(after, resources);
    const paths = Object.keys(problems);
    if (paths.length === 0) return problems;
    const names = new Set(paths.map((path) => path.slice(0, path.indexOf(' '))));
    const invalid = resources.filter(({ resourceType, code }) => names.has(`${resourceType}/${code}`));
    const known = await this.problemsOf(before(), invalid);
    return Object.fromEntries(Object.entries(problems).filter(([path]) => !Object.hasOwn(known, path)));
  }

  warningsAmong(resources: Iterable<EnvironmentResource>): ResourceWarnings {
    return new ResourceWarnings(resources, this.types, this.#shippedKeys);
  }

  /**
   * Problems of resources among the others of their environment: `<type>/<code> <path>` -> problem.
   */
  async problemsOf(after: Snapshot, resources: readonly EnvironmentResource[]): Promise<FieldErrors> {
    const problems: FieldErrors = {};
    for (const resource of resources) {
      await letOthersRun();
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
