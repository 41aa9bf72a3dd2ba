import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { appendAudit } from '../../../platform/audit/audit-log.ts';
import { personOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { ResourceChecks } from '../../../platform/metadata/changes/resource-checks.ts';
import {
  lockEnvironment,
  untilTablesAreFree,
  type ResourceDraft,
  type ResourcesService,
} from '../../../platform/metadata/changes/resources.service.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { isDesignable, requireDesignable } from '../../../platform/metadata/environments/write-policy.ts';
import { ResourceEntity, type Resource } from '../../../platform/metadata/resources/resource.entity.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { findEnvironment } from '../../environments/environments.service.ts';
import { isOpen, type Conflict } from '../plan/conflict.ts';
import { previewOf, type TablePreview } from '../plan/state/table-preview.ts';
import { planDrafts, type DraftPlan, type PlannedChange } from './application-plan.ts';
import { consentTo, openConflicts, stale } from './draft-guards.ts';
import { problemsOfDrafts } from './draft-problems.ts';

export interface SaveOrder {
  readonly resources: readonly ResourceDraft[];
  /** The plan that a person has seen: another one is not saved. */
  readonly planHash?: string;
  /** Names, `TYPE/code`, of what may take data out of reach. */
  readonly consent: readonly string[];
  readonly reason?: string;
}

export interface PlannedDrafts {
  readonly environment: string;
  readonly planHash: string;
  /** Whether the environment takes promotions only. */
  readonly needsPromotion: boolean;
  /** Null: it is not locked. */
  readonly lockReason: string | null;
  readonly changes: readonly (PlannedChange & { readonly table: TablePreview | null })[];
  readonly conflicts: readonly Conflict[];
}

/** What authors have not saved yet: what saving it would do, and saving all of it in one transaction. */
export class DraftsService {
  readonly #orm: PlatformOrm;
  readonly #resources: ResourcesService;
  readonly #resourceChecks: ResourceChecks;
  readonly #snapshots: SnapshotCache;

  constructor(orm: PlatformOrm, resources: ResourcesService, resourceChecks: ResourceChecks, snapshots: SnapshotCache) {
    this.#orm = orm;
    this.#resources = resources;
    this.#resourceChecks = resourceChecks;
    this.#snapshots = snapshots;
  }

  /** Problems of drafts by themselves: `resources.<index>.<path>` -> problem. */
  problemsOf(resources: readonly ResourceDraft[]): Promise<FieldErrors> {
    return problemsOfDrafts(this.#resourceChecks.types, resources, undefined);
  }

  /** Writes nothing. */
  async plan(environment: string, resources: readonly ResourceDraft[]): Promise<PlannedDrafts> {
    const row = await findEnvironment(this.#orm.em.fork(), environment);
    return this.#orm.em.fork().transactional(async (em) => present(em, row, await this.#planIn(em, row, resources)));
  }

  /**
   * Saves all drafts or none. When this returns, every node serves them.
   * @throws ENVIRONMENT_LOCKED; STALE_PLAN; PROMOTION_CONFLICT with the conflicts; CONFLICT
   * (CONSENT_REQUIRED); SERVICE_UNAVAILABLE (LOCKED) when a table does not come free
   */
  async save(actor: Actor, environment: string, order: SaveOrder): Promise<PlannedDrafts> {
    const saved = await untilTablesAreFree(() =>
      this.#orm.em.fork().transactional((em) => this.#saveIn(em, actor, environment, order)),
    );
    if (saved.changes.length > 0) await this.#snapshots.refresh(environment);
    return saved;
  }

  async #saveIn(
    em: PlatformEntityManager,
    actor: Actor,
    environment: string,
    { resources, planHash, consent, reason }: SaveOrder,
  ): Promise<PlannedDrafts> {
    const row = await lockEnvironment(em, environment);
    requireDesignable(row);
    const plan = await this.#planIn(em, row, resources);
    if (planHash !== undefined && planHash !== plan.hash) throw stale();
    if (plan.conflicts.some(isOpen)) throw openConflicts(plan.conflicts);
    consentTo(plan.conflicts, consent);
    const planned = await present(em, row, plan);
    await this.#resources.saveIn(em, row, resources, personOf(actor));
    const saved = new Map<string, Resource>();
    for (const { pid, resourceType, code } of plan.entries) {
      const after = await em.findOneOrFail(ResourceEntity, { environment, resourceType, code });
      saved.set(pid, after);
      const was = plan.present.get(pid);
      await appendAudit(em, {
        actor: { userPid: personOf(actor), username: actor.username },
        action: 'metadata.save',
        targetType: 'resource',
        targetPid: after.pid,
        environment,
        ...(reason !== undefined && { reason }),
        before: was && { version: was.version, content: was.content },
        after: { version: after.version, content: after.content },
      });
    }
    // A plan makes up the pids of new resources.
    const changes = planned.changes.map((change) => {
      const { pid, version: sourceVersion } = saved.get(change.pid) ?? { ...change, version: change.sourceVersion };
      return { ...change, pid, sourceVersion };
    });
    return { ...planned, changes };
  }

  #planIn(em: PlatformEntityManager, environment: Environment, resources: readonly ResourceDraft[]) {
    return planDrafts(em, this.#resourceChecks, environment, { application: null, resources, prune: false });
  }
}

async function present(em: PlatformEntityManager, environment: Environment, plan: DraftPlan): Promise<PlannedDrafts> {
  const after = new Map(plan.entries.map((entry) => [entry.pid, entry]));
  const changes: (PlannedChange & { readonly table: TablePreview | null })[] = [];
  for (const change of plan.changes) {
    const { pid } = change;
    changes.push({ ...change, table: await previewOf(em, environment.code, after.get(pid), plan.present.get(pid)) });
  }
  return {
    environment: environment.code,
    planHash: plan.hash,
    needsPromotion: !isDesignable(environment),
    lockReason: environment.locked ? (environment.lockReason ?? '') : null,
    changes,
    conflicts: plan.conflicts,
  };
}
