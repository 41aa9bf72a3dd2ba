import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { Operation } from 'rfc6902';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ChangeSets } from '../../../platform/metadata/changes/change-set.ts';
import type { ResourceDraft } from '../../../platform/metadata/changes/resources.service.ts';
import { applicationOf, inApplication } from '../../../platform/metadata/resources/common-content.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { patchOf } from '../../environments/content-patch.ts';
import { compare } from '../../environments/environment-diff.ts';
import { secretNamesOf } from '../../environments/environment-secrets.service.ts';
import type { SnapshotEntry } from '../../environments/environment-snapshot.ts';
import type { Conflict } from '../plan/conflict.ts';
import { planPromotion } from '../plan/planner.ts';
import { entriesOf } from '../plan/promotion-source.ts';
import { planHash, type PlanItem } from '../plan/state/promotion-plan.ts';
import type { Unit } from '../plan/state/unit.ts';
import { entriesOfDrafts } from './draft-entries.ts';
import { manifestOf, type PromotedApplication } from './manifests.ts';

/** The files of an application, as the command line sends them. */
export interface ApplicationDraft {
  readonly application: string;
  readonly resources: readonly ResourceDraft[];
  /** Remove what the files lack. */
  readonly prune: boolean;
}

export interface PlannedChange extends Omit<PlanItem, 'contentHash'> {
  /** RFC 6902; empty unless the resource is updated. */
  readonly patch: readonly Operation[];
}

/** The plan of applying an application's files to an environment, with its conflicts. */
export interface ApplicationPlan {
  readonly hash: string;
  readonly changes: readonly PlannedChange[];
  /** Resources of the application that the files lack. */
  readonly unmanaged: readonly SnapshotEntry[];
  /** Resources of no application that the files lack. */
  readonly unowned: readonly SnapshotEntry[];
  readonly conflicts: readonly Conflict[];
  /** The source and the units of the promotion that does it. */
  readonly entries: readonly SnapshotEntry[];
  readonly units: readonly Unit[];
  readonly promoted: PromotedApplication;
}

/** Works out the plan inside a transaction. Writes nothing. */
export async function planApplication(
  em: PlatformEntityManager,
  changeSets: ChangeSets,
  { code: targetCode }: Environment,
  { application, resources: drafts, prune }: ApplicationDraft,
): Promise<ApplicationPlan> {
  const resources = drafts.map((draft) => inApplication(draft, application));
  const target = await entriesOf(em, targetCode);
  const entries = await entriesOfDrafts(em, targetCode, resources, target);
  const kept = new Set(entries.map(({ pid }) => pid));
  const rest = Map.groupBy(
    target.filter(({ pid }) => !kept.has(pid)),
    applicationOf,
  );
  const unmanaged = rest.get(application) ?? [];
  const present = new Map(target.map((entry) => [entry.pid, entry]));
  const changed: SnapshotEntry[] = [];
  for (const entry of entries) {
    await letOthersRun();
    if (compare(entry, present.get(entry.pid)) !== null) changed.push(entry);
  }
  const units = [...changed, ...(prune ? unmanaged : [])].map(({ resourceType, pid }) => ({
    resourceType,
    resourcePid: pid,
  }));
  const source = new Map(changed.map((entry) => [entry.pid, entry]));
  const targetSecrets = await secretNamesOf(em, targetCode);
  const given = { source, target, targetCode, targetSecrets, units };
  const input = { ...given, autoInclude: false, overwrites: true, left: new Map<string, never>(), application };
  const { items, conflicts } = await planPromotion(em, changeSets, input, []);
  const changes: PlannedChange[] = [];
  for (const item of items) {
    await letOthersRun();
    changes.push(toChange(item, source, present));
  }
  return {
    hash: await hashOf(targetCode, items),
    changes,
    unmanaged,
    unowned: rest.get(null) ?? [],
    conflicts,
    entries: changed,
    units,
    promoted: { name: application, manifest: manifestOf(resources) },
  };
}

/** Pids do not count: a new resource gets another one each time. */
export function hashOf(targetCode: string, items: readonly PlanItem[]): Promise<string> {
  return planHash(
    'files',
    targetCode,
    items.map((item) => ({ ...item, pid: '' })),
  );
}

function toChange(
  { contentHash: _, ...item }: PlanItem,
  source: ReadonlyMap<string, SnapshotEntry>,
  present: ReadonlyMap<string, SnapshotEntry>,
): PlannedChange {
  const isUpdate = item.action === 'UPDATE';
  return { ...item, patch: isUpdate ? patchOf(source.get(item.pid), present.get(item.pid)) : [] };
}
