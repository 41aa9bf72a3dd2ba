import type { ExportEntry } from '../../environments/environment-export.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { versionsOf } from '../../../platform/metadata/resources/resource-versions.ts';
import { entriesOf, environmentById } from './promotion-source.ts';
import type { Promotion } from './promotion.entity.ts';
import type { Unit } from '../plan/state/promotion-plan.ts';
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
  const wanted = plan.items.flatMap(({ pid: of, targetVersion: version }) =>
    version === null ? [] : { pid: of, version },
  );
  const versions = await versionsOf(em, target.code, wanted);
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
