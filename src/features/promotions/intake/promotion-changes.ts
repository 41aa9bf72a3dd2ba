import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { ResourceTypes } from '../../../platform/metadata/resources/resource-types.ts';
import { contentsBefore } from '../promotion/inverse.ts';
import { versionsOf } from '../../../platform/metadata/resources/resource-versions.ts';
import { compare } from '../../environments/environment-diff.ts';
import type { ExportEntry } from '../../environments/environment-export.ts';
import { withDependencies } from '../plan/state/dependencies.ts';
import { contentHash, type PlanItem } from '../plan/state/promotion-plan.ts';
import { previewOf, type TablePreview } from '../plan/state/table-preview.ts';
import { entriesOf, environmentById, readSource } from '../promotion/promotion-source.ts';
import { PromotionEntity, type Promotion } from '../promotion/promotion.entity.ts';

/** One resource that a promotion is about. */
export interface PromotionChange {
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  readonly renamedFrom?: string;
  readonly action: PlanItem['action'];
  readonly sourceVersion: number | null;
  readonly targetVersion: number | null;
  /** Whether the sealed plan has it; one that people leave as it is has no place in it. */
  readonly inPlan: boolean;
  /** Whether source or target have another content of it than the sealed plan. */
  readonly changedSince: boolean;
}

export interface ChangeDetails extends PromotionChange {
  readonly before: object | null;
  readonly after: object | null;
  readonly table: TablePreview | null;
}

/** A change with the two contents that it lies between. */
interface Change extends PromotionChange {
  readonly source: ExportEntry | undefined;
  readonly target: ExportEntry | undefined;
  readonly ddl: readonly string[];
}

/** What a promotion changes, resource by resource, for those who review it. */
export class PromotionChanges {
  readonly #orm: PlatformOrm;
  readonly #types: ResourceTypes;

  constructor(orm: PlatformOrm, types: ResourceTypes) {
    this.#orm = orm;
    this.#types = types;
  }

  /** @throws NOT_FOUND */
  async list(pid: string): Promise<PromotionChange[]> {
    return this.#read(pid, async (em, promotion) => {
      const changes = await this.#changesOf(em, promotion);
      return changes.map(({ source: _, target: __, ddl: ___, ...change }) => change);
    });
  }

  /** @throws NOT_FOUND */
  async get(pid: string, resourcePid: string): Promise<ChangeDetails> {
    return this.#read(pid, async (em, promotion) => {
      const found = (await this.#changesOf(em, promotion)).find((one) => one.pid === resourcePid);
      if (!found) throw notFound('The promotion does not change this resource');
      const { source, target, ddl, ...change } = found;
      const { code } = await environmentById(em, promotion.targetEnvId);
      const table = promotion.status === 'APPLIED' ? asApplied(ddl) : await previewOf(em, code, source, target);
      return { ...change, before: target?.content ?? null, after: source?.content ?? null, table };
    });
  }

  #read<T>(pid: string, read: (em: PlatformEntityManager, promotion: Promotion) => Promise<T>): Promise<T> {
    return this.#orm.em.fork().transactional(
      async (em) => {
        const promotion = await em.findOne(PromotionEntity, { pid });
        if (!promotion) throw notFound('There is no such promotion');
        return read(em, promotion);
      },
      { readOnly: true },
    );
  }

  #changesOf(em: PlatformEntityManager, promotion: Promotion): Promise<Change[]> {
    return promotion.status === 'APPLIED' ? appliedChanges(em, promotion) : this.#changesNow(em, promotion);
  }

  /** Between source and target as they are now, which is what a validation would plan. */
  async #changesNow(em: PlatformEntityManager, promotion: Promotion): Promise<Change[]> {
    const target = await entriesOf(em, (await environmentById(em, promotion.targetEnvId)).code);
    const { entries: source, units } = await readSource(em, promotion, target);
    const all = promotion.autoInclude ? await withDependencies(units, source, target, this.#types) : units;
    const targetByPid = new Map(target.map((entry) => [entry.pid, entry]));
    const planned = new Map(promotion.plan?.items.map((item) => [item.pid, item]));
    // What a new resource replaces stands in the plan alone.
    const others = [...planned.values()].map(({ pid: resourcePid }) => ({ resourcePid }));
    const changes = new Map<string, Change>();
    for (const { resourcePid } of [...all, ...others]) {
      await letOthersRun();
      const [from, to] = [source.get(resourcePid), targetByPid.get(resourcePid)];
      const item = planned.get(resourcePid);
      const after = item?.action === 'REMOVE' ? undefined : from;
      const difference = compare(after, to) ?? item;
      if (!difference || changes.has(resourcePid)) continue;
      const { sourceVersion, targetVersion } = difference;
      const isSame = contentHash(after) === item?.contentHash && (to?.version ?? null) === item.targetVersion;
      changes.set(resourcePid, {
        ...named(difference),
        action: item?.action ?? (sourceVersion === null ? 'REMOVE' : targetVersion === null ? 'ADD' : 'UPDATE'),
        sourceVersion,
        targetVersion,
        inPlan: item !== undefined,
        changedSince: item !== undefined && !isSame,
        source: after,
        target: to,
        ddl: item?.ddl ?? [],
      });
    }
    return [...changes.values()];
  }
}

/** What an applied promotion has changed, by the versions that its target has had. */
async function appliedChanges(em: PlatformEntityManager, { targetEnvId, plan }: Promotion): Promise<Change[]> {
  const { code: environment } = await environmentById(em, targetEnvId);
  const items = plan?.items ?? [];
  const before = await contentsBefore(em, environment, items);
  const after = await versionsOf(
    em,
    environment,
    items.flatMap(({ pid, sourceVersion: version }) => (version === null ? [] : { pid, version })),
  );
  return items.map((item) => {
    const { action, sourceVersion, targetVersion, ddl, pid } = item;
    const versions = { action, sourceVersion, targetVersion, ddl };
    const contents = { source: after.get(pid), target: before.get(pid) };
    return { ...named(item), ...versions, ...contents, inPlan: true, changedSince: false };
  });
}

function named({
  resourceType,
  pid,
  code,
  renamedFrom,
}: Pick<PlanItem, 'resourceType' | 'pid' | 'code' | 'renamedFrom'>) {
  return { resourceType, pid, code, ...(renamedFrom !== undefined && { renamedFrom }) };
}

function asApplied(ddl: readonly string[]): TablePreview | null {
  if (ddl.length === 0) return null;
  return { steps: ddl.map((statement) => ({ statement, isLater: false })), lock: null, rows: null, isEstimate: false };
}
