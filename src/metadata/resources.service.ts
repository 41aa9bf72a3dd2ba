import { LockMode } from '@mikro-orm/core';
import { ulid } from 'ulid';
import type { PlatformEntityManager, PlatformOrm } from '../database/orm.ts';
import { notFound, throwIfInvalid, validationError, type FieldErrors } from '../errors/application-error.ts';
import { EnvironmentEntity } from '../environments/environment.entity.ts';
import type { ModelContent, ResourceContent, ResourceType } from './content.ts';
import { problemsOfContent } from './content-validation.ts';
import { planTable } from './model-table.ts';
import { problemsOfReferences } from './references.ts';
import { ResourceEntity, ResourceVersionEntity, type Resource } from './resource.entity.ts';
import { Snapshot } from './snapshot.ts';
import type { SnapshotCache } from './snapshot-cache.ts';
import { hasTrigrams, readTable } from './table-catalog.ts';

/** A resource as a designer saves it. */
export interface ResourceDraft {
  readonly resourceType: ResourceType;
  readonly code: string;
  readonly content: ResourceContent;
}

/** Spec: "Versioning" 1: DSL resources are versioned per resource. */
export class ResourcesService {
  readonly #orm: PlatformOrm;
  readonly #snapshots: SnapshotCache;

  constructor(orm: PlatformOrm, snapshots: SnapshotCache) {
    this.#orm = orm;
    this.#snapshots = snapshots;
  }

  /**
   * Saves resources, all or none, in one transaction with the tables of the models among them. A resource whose content
   * does not change keeps its version. When this returns, every node serves the new configuration.
   * @returns how many resources changed
   * @throws VALIDATION_ERROR with a path per problem, prefixed with `<type>/<code>` where several are saved
   */
  async save(environment: string, drafts: readonly ResourceDraft[], userPid: string | null): Promise<number> {
    throwIfInvalid(
      collect(drafts, ({ resourceType, code, content }) => problemsOfContent(resourceType, code, content)),
    );
    const changed = await this.#orm.em.fork().transactional(async (em) => {
      // One writer of an environment's metadata at a time: versions and tables follow one order.
      const row = await em.findOne(EnvironmentEntity, { code: environment }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!row) throw notFound('There is no such environment');
      const current = await em.find(ResourceEntity, { environment });
      const saved = drafts.filter((draft) => put(em, environment, current, draft, userPid));
      const after = new Snapshot(environment, row.metadataVersion + 1, current);
      throwIfInvalid(problemsOfReferences(after, drafts));
      for (const draft of saved) if (draft.resourceType === 'MODEL') await publish(em, environment, draft);
      if (saved.length > 0) row.metadataVersion += 1;
      return saved.length;
    });
    if (changed > 0) await this.#snapshots.refresh(environment);
    return changed;
  }
}

/** Writes a draft as the resource's next version. False when it says what the resource says already. */
function put(
  em: PlatformEntityManager,
  environment: string,
  current: Resource[],
  { resourceType, code, content }: ResourceDraft,
  userPid: string | null,
): boolean {
  const known = current.find((resource) => resource.resourceType === resourceType && resource.code === code);
  if (known && canonical(known.content) === canonical(content)) return false;
  const version = (known?.version ?? 0) + 1;
  const fields = { content, version, updatedBy: userPid, updatedAt: new Date() };
  const key = { environment, pid: known?.pid ?? ulid(), resourceType, code };
  if (known) em.assign(known, fields);
  else current.push(em.create(ResourceEntity, { ...key, ...fields }));
  em.create(ResourceVersionEntity, { ...key, ...fields });
  return true;
}

/** Makes the model's table what the model says. Waits 2 s at most for readers and writers of the table. */
async function publish(
  em: PlatformEntityManager,
  environment: string,
  { code, content }: ResourceDraft,
): Promise<void> {
  const existing = await readTable(em, environment, code);
  const trigrams = await hasTrigrams(em);
  const { statements, impossible } = planTable(environment, code, content as ModelContent, existing, trigrams);
  if (Object.keys(impossible).length > 0) throw validationError(impossible);
  await em.execute(`set local lock_timeout = '2s'`);
  for (const statement of statements) await em.execute(statement);
}

function collect(drafts: readonly ResourceDraft[], problemsOf: (draft: ResourceDraft) => FieldErrors): FieldErrors {
  const prefix = ({ resourceType, code }: ResourceDraft): string =>
    drafts.length > 1 ? `${resourceType}/${code} ` : '';
  return Object.fromEntries(
    drafts.flatMap((draft) =>
      Object.entries(problemsOf(draft)).map(([path, problem]) => [`${prefix(draft)}${path}`, problem]),
    ),
  );
}

/** The same content with its keys in another order is the same content. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
