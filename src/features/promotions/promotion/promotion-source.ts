import type { ExportEntry } from '../../environments/environment-export.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { EnvironmentEntity, type Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { storedResources } from '../../../platform/metadata/resources/stored-resources.ts';
import { versionsOf } from '../../../platform/metadata/resources/resource-versions.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import { differenceOf } from '../../environments/environment-diff.ts';
import { PromotionEntity, type Promotion } from './promotion.entity.ts';
import type { Unit } from '../plan/state/promotion-plan.ts';

/** What a promotion promotes from, and which of it. */
export interface PromotionSource {
  /** Stands in the plan's hash: two sources of equal content are still two sources. */
  readonly name: string;
  readonly entries: ReadonlyMap<string, ExportEntry>;
  readonly units: readonly Unit[];
}

/** The environment by its numeric id. @throws NOT_FOUND */
export async function environmentById(em: PlatformEntityManager, id: number): Promise<Environment> {
  const environment = await em.findOne(EnvironmentEntity, { id });
  if (!environment) throw notFound('There is no such environment');
  return environment;
}

export async function entriesOf(em: PlatformEntityManager, environment: string): Promise<ExportEntry[]> {
  return storedResources(em, [environment]);
}

/** The source as it stands now, with the units' earlier versions in place where they ask for them. */
export async function readSource(
  em: PlatformEntityManager,
  promotion: Promotion,
  target: readonly ExportEntry[],
): Promise<PromotionSource> {
  const { name, all } = await entriesOfSource(em, promotion);
  const entries = new Map(all.map((entry) => [entry.pid, entry]));
  const units = promotion.units === '*' ? await everyDifference(all, target) : promotion.units;
  for (const [pid, earlier] of await versionsOf(em, name, versionsIn(units))) entries.set(pid, earlier);
  return { name, entries, units };
}

async function entriesOfSource(
  em: PlatformEntityManager,
  promotion: Promotion,
): Promise<{ name: string; all: readonly ExportEntry[] }> {
  if (typeof promotion.sourceEnvId === 'number') {
    const { code } = await environmentById(em, promotion.sourceEnvId);
    return { name: code, all: await entriesOf(em, code) };
  }
  const { snapshot } = await em.findOneOrFail(PromotionEntity, { pid: promotion.pid }, { populate: ['snapshot'] });
  return { name: `snapshot of ${promotion.pid}`, all: snapshot ?? [] };
}

export async function everyDifference(source: readonly ExportEntry[], target: readonly ExportEntry[]): Promise<Unit[]> {
  const { added, updated, removed } = await differenceOf(source, target);
  return [...added, ...updated, ...removed].map(({ resourceType, pid }) => ({ resourceType, resourcePid: pid }));
}

/** The units that ask for a version. */
export function versionsIn(units: readonly Unit[]): { pid: string; version: number }[] {
  return units.flatMap(({ resourcePid: pid, version }) => (version === undefined ? [] : { pid, version }));
}

/**
 * What a promotion that is to be rolled back has left in the target: resource pid -> hash of its content,
 * null for a removal.
 */
export async function hashesAppliedBy(
  em: PlatformEntityManager,
  pid: string | null | undefined,
): Promise<ReadonlyMap<string, string | null>> {
  const applied = pid ? await em.findOneOrFail(PromotionEntity, { pid }) : null;
  return new Map(applied?.plan?.items.map((item) => [item.pid, item.contentHash]));
}
