import { LockMode } from '@mikro-orm/core';
import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import {
  ApplicationError,
  conflict,
  notFound,
  throwIfInvalid,
  validationError,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { canonicalJson } from '../../../foundation/validation/canonical-json.ts';
import { applyChanges } from './apply-changes.ts';
import type { ResourceChange } from './resource-change.ts';
import type { ResourceChecks } from './resource-checks.ts';
import { EnvironmentEntity, type Environment } from '../environments/environment.entity.ts';
import { applicationOf, codeBeforeRename, inApplication, IS_THERE_TOO } from '../resources/common-content.ts';
import { ResourceEntity, ResourceVersionEntity, type Resource } from '../resources/resource.entity.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotCache } from '../snapshot/snapshot-cache.ts';
import { SAVE_ATTEMPTS } from '../models/models.limits.ts';

/** A resource as a designer saves it. */
export interface ResourceDraft {
  readonly resourceType: string;
  readonly code: string;
  readonly content: object;
}

/** SQLSTATEs of a table that others work with: its lock could not be had in time, or only by a deadlock. */
const IN_USE = new Set(['55P03', '40P01']);

/** Spec: "Versioning" 1: DSL resources are versioned per resource. */
export class ResourcesService {
  readonly #orm: PlatformOrm;
  readonly #snapshots: SnapshotCache;
  readonly #resourceChecks: ResourceChecks;

  constructor(orm: PlatformOrm, snapshots: SnapshotCache, resourceChecks: ResourceChecks) {
    this.#orm = orm;
    this.#resourceChecks = resourceChecks;
    this.#snapshots = snapshots;
  }

  /**
   * Saves resources, all or none, in one transaction with the tables of the models among them. A resource
   * whose content does not change keeps its version. When this returns, every node serves the new
   * configuration.
   * @returns how many resources changed
   * @throws VALIDATION_ERROR: `<type>/<code> <path>` -> problem; just the path where one resource is wrong by
   *   itself; SERVICE_UNAVAILABLE (LOCKED) when a table that must change does not come free
   */
  async save(environment: string, drafts: readonly ResourceDraft[], userPid: string | null): Promise<number> {
    this.#checkDrafts(drafts);
    const changed = await untilTablesAreFree(() =>
      this.#orm.em
        .fork()
        .transactional(async (em) => this.saveIn(em, await lockEnvironment(em, environment), drafts, userPid)),
    );
    if (changed > 0) await this.#snapshots.refresh(environment);
    return changed;
  }

  /**
   * As `save`, inside a transaction that holds the environment; announcing it after the commit is the
   * caller's.
   */
  async saveIn(
    em: PlatformEntityManager,
    environment: Environment,
    drafts: readonly ResourceDraft[],
    userPid: string | null,
  ): Promise<number> {
    await this.#checkRenames(em, environment.code, drafts);
    const changes = await changesOf(em, environment.code, drafts);
    await applyChanges(this.#resourceChecks, em, environment, changes, userPid);
    return changes.length;
  }

  /**
   * Takes a resource out of the environment; its versions stay, and a model's table with its records, too.
   * @throws VALIDATION_ERROR naming what still refers to it; CONFLICT (REFERENCE) naming who still has it
   */
  async deleteIn(
    em: PlatformEntityManager,
    environment: Environment,
    { pid, resourceType, code, version }: Resource,
    userPid: string | null,
  ): Promise<void> {
    const held = await this.#resourceChecks.types.find(resourceType)?.problemOfRemoval?.(em, code, environment.code);
    if (held) throw conflict('REFERENCE', held);
    const change = { pid, resourceType, code, version, content: null };
    try {
      await applyChanges(this.#resourceChecks, em, environment, [change], userPid);
    } catch (error) {
      throw withReferrers(error, `${resourceType}/${code}`);
    }
  }

  /** What a saved resource names and its environment lacks, and what its examples show: path -> warning. */
  async warningsIn(em: PlatformEntityManager, resource: Resource): Promise<FieldErrors> {
    const { environment, resourceType } = resource;
    const all = await em.find(ResourceEntity, { environment });
    const { types } = this.#resourceChecks;
    const after = new Snapshot(environment, 0, all, types);
    const failing = await types.find(resourceType)?.failingExamples?.(resource, after);
    return { ...this.#resourceChecks.warningsAmong(all).of(resource), ...failing };
  }

  /**
   * @throws VALIDATION_ERROR where the old and the new code are both there; CONFLICT (REFERENCE) naming who
   * still
   *   has the old one
   */
  async #checkRenames(em: PlatformEntityManager, environment: string, drafts: readonly ResourceDraft[]): Promise<void> {
    const problems: FieldErrors = {};
    for (const draft of drafts) {
      const { resourceType, code } = draft;
      const from = codeBeforeRename(draft);
      const old = from === null ? null : await em.findOne(ResourceEntity, { environment, resourceType, code: from });
      if (from === null || !old) continue;
      const known = await em.findOne(ResourceEntity, { environment, resourceType, code });
      const isKept = drafts.some((one) => one.resourceType === resourceType && one.code === from);
      if (isKept || (known && canonicalJson(known.content) !== canonicalJson(draft.content))) {
        problems[`${resourceType}/${code} content.renamedFrom`] = text(IS_THERE_TOO, { from });
      }
      const held = known
        ? null
        : await this.#resourceChecks.types.find(resourceType)?.problemOfRemoval?.(em, from, environment);
      if (held) throw conflict('REFERENCE', held);
    }
    throwIfInvalid(problems);
  }

  #checkDrafts(drafts: readonly ResourceDraft[]): void {
    const problems: FieldErrors = {};
    for (const { resourceType, code, content } of drafts) {
      const at = drafts.length > 1 ? `${resourceType}/${code} ` : '';
      const found = this.#resourceChecks.types.problemsOfContent(resourceType, code, content);
      for (const [path, problem] of Object.entries(found)) problems[`${at}${path}`] = problem;
    }
    throwIfInvalid(problems);
  }
}

/** The resources that are named. */
const NAMED_REFERRERS = 10;

/** Says first how many resources refer to one, and which. */
function withReferrers(error: unknown, name: string): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'VALIDATION_ERROR') return error;
  const fieldErrors = error.data?.fieldErrors as FieldErrors;
  const referrers = new Set(Object.keys(fieldErrors).map((path) => path.slice(0, path.indexOf(' '))));
  const names = [...referrers].sort().slice(0, NAMED_REFERRERS).join(', ');
  const message = text('{count} resources refer to {name}: {names}', { count: referrers.size, name, names });
  return validationError(fieldErrors, message);
}

/**
 * Repeats a transaction that did not get a table's lock: the longer it waited, the longer all later readers
 * would wait.
 */
export async function untilTablesAreFree<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!IN_USE.has(String((error as { code?: unknown }).code))) throw error;
      if (attempt < SAVE_ATTEMPTS) continue;
      throw new ApplicationError('SERVICE_UNAVAILABLE', {
        message: 'The tables of the models are in use',
        data: { dependency: 'postgres', reason: 'LOCKED' },
        retryAfterSeconds: 5,
        cause: error,
      });
    }
  }
}

/**
 * One writer of an environment's metadata at a time: versions and tables follow one order. @throws NOT_FOUND
 */
export async function lockEnvironment(em: PlatformEntityManager, code: string): Promise<Environment> {
  const row = await em.findOne(EnvironmentEntity, { code }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!row) throw notFound('There is no such environment');
  return row;
}

/** The resource that a draft is about: of its code, or of the one that it is renamed from. */
export async function presentResourceOf(
  em: PlatformEntityManager,
  environment: string,
  draft: ResourceDraft,
): Promise<Resource | null> {
  const { resourceType, code } = draft;
  const from = codeBeforeRename(draft);
  const known = await em.findOne(ResourceEntity, { environment, resourceType, code });
  const old = from === null ? null : await em.findOne(ResourceEntity, { environment, resourceType, code: from });
  return known ?? old;
}

/**
 * The next version of each draft that says something new. A resource that was deleted comes back under its
 * old pid.
 */
async function changesOf(
  em: PlatformEntityManager,
  environment: string,
  drafts: readonly ResourceDraft[],
): Promise<ResourceChange[]> {
  const changes: ResourceChange[] = [];
  for (const draft of drafts) {
    const { resourceType, code } = draft;
    const known = await presentResourceOf(em, environment, draft);
    // A save that does not name the application leaves the resource where it is.
    const app = known && applicationOf(known);
    const { content } = app ? inApplication(draft, app) : draft;
    if (known?.code === code && canonicalJson(known.content) === canonicalJson(content)) continue;
    const [last] = await em.find(
      ResourceVersionEntity,
      known ? { environment, pid: known.pid } : { environment, resourceType, code },
      { orderBy: { version: 'desc' }, limit: 1 },
    );
    changes.push({ resourceType, code, content, pid: last?.pid ?? newPid(), version: (last?.version ?? 0) + 1 });
  }
  return changes;
}
