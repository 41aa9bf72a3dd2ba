import type { ExportEntry } from '../../environments/environment-export.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { versionsOf, type StoredVersion } from '../../../platform/metadata/resources/resource-versions.ts';
import { entriesOf, environmentById } from './promotion-source.ts';
import type { Promotion } from './promotion.entity.ts';
import { contentHash, type PlanItem, type Unit } from '../plan/state/promotion-plan.ts';
import { text } from '../../../foundation/i18n/text.ts';

/** What makes a promotion the inverse of another: back to what the target had. */
export interface InverseDraft {
  readonly sourceEnvId: null;
  readonly snapshot: readonly ExportEntry[];
  readonly rollbackOf: string;
  readonly units: Unit[];
}

/** @throws PROMOTION_STATE for one that was not applied */
export async function inverseOf(em: PlatformEntityManager, promotion: Promotion): Promise<InverseDraft> {
  const { pid, status, plan, targetEnvId } = promotion;
  if (status !== 'APPLIED' || !plan) {
    const message = text('The promotion is {status}; only an APPLIED one can be rolled back', { status });
    throw new ApplicationError('PROMOTION_STATE', { message, data: { status } });
  }
  const target = await environmentById(em, targetEnvId);
  const entries: ExportEntry[] = [];
  const units: Unit[] = [];
  const versions = await contentsBefore(em, target.code, plan.items);
  for (const { resourceType, pid: resourcePid, targetVersion } of plan.items) {
    const before = versions.get(resourcePid);
    if (before) entries.push(before);
    // The version is named, so that going back to it is no conflict with the newer one.
    units.push({ resourceType, resourcePid, ...(targetVersion !== null && { version: targetVersion }) });
  }
  // What the rolled-back resources refer to is looked for among what the target has.
  const mentioned = new Set(units.map(({ resourcePid }) => resourcePid));
  const rest = (await entriesOf(em, target.code)).filter(({ pid: other }) => !mentioned.has(other));
  return { sourceEnvId: null, snapshot: [...entries, ...rest], rollbackOf: pid, units };
}

/**
 * What a target had before a promotion changed it, by pid. Where source and target had the same version with
 * different contents, the target has had that version twice.
 */
export function contentsBefore(
  em: PlatformEntityManager,
  target: string,
  items: readonly PlanItem[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const applied = new Map(items.map(({ pid, contentHash: hash }) => [pid, hash]));
  const wanted = items.flatMap(({ pid, targetVersion: version }) => (version === null ? [] : { pid, version }));
  return versionsOf(em, target, wanted, (latest) => contentHash(latest) === applied.get(latest.pid));
}
