import { compare, patchOf } from '../../environments/environment-diff.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { Operation } from 'rfc6902';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ResourceChecks } from '../../../platform/metadata/changes/resource-checks.ts';
import type { ResourceDraft } from '../../../platform/metadata/changes/resources.service.ts';
import { applicationOf, inApplication, codeBeforeRename } from '../../../platform/metadata/resources/common-content.ts';
import type { Environment } from '../../../platform/metadata/environments/environment.entity.ts';
import { secretNamesOf } from '../../environments/environment-secrets.service.ts';
import type { ExportEntry } from '../../environments/environment-export.ts';
import type { Conflict } from '../plan/conflict.ts';
import { planPromotion } from '../plan/planner.ts';
import { entriesOf } from '../promotion/promotion-source.ts';
import { planHash, type PlanItem, type Unit } from '../plan/state/promotion-plan.ts';
import { manifestOf, type PromotedApplication, nameOf } from '../promotion/manifests.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { canonicalJson } from '../../../foundation/validation/canonical-json.ts';
import { pidsOf } from '../../../platform/metadata/resources/resource-versions.ts';
import { ResourceEntity } from '../../../platform/metadata/resources/resource.entity.ts';

/** The files of an application, as the command line sends them. */
export interface ApplicationDraft {
  readonly application: string;
  readonly resources: readonly ResourceDraft[];
  /** Remove what the files lack. */
  readonly prune: boolean;
}

/** Resources as they shall be: the files of an application, or what an author has not saved yet (null). */
interface Drafts extends Omit<ApplicationDraft, 'application'> {
  readonly application: string | null;
}

export interface PlannedChange extends Omit<PlanItem, 'contentHash'> {
  /** RFC 6902; empty unless the resource is updated. */
  readonly patch: readonly Operation[];
}

/** What drafts make of an environment, with the conflicts. */
export interface DraftPlan {
  readonly hash: string;
  readonly changes: readonly PlannedChange[];
  /** Resources of the application that the files lack. */
  readonly unmanaged: readonly ExportEntry[];
  /** Resources of no application that the files lack. */
  readonly unowned: readonly ExportEntry[];
  readonly conflicts: readonly Conflict[];
  /** The changed resources, and what they are now, by pid. */
  readonly entries: readonly ExportEntry[];
  readonly present: ReadonlyMap<string, ExportEntry>;
  /** Those of the promotion that makes the change. */
  readonly units: readonly Unit[];
}

/** The plan of applying an application's files to an environment. */
export interface ApplicationPlan extends DraftPlan {
  readonly promoted: PromotedApplication;
}

/** Works out the plan inside a transaction. Writes nothing. */
export async function planApplication(
  em: PlatformEntityManager,
  resourceChecks: ResourceChecks,
  environment: Environment,
  draft: ApplicationDraft,
): Promise<ApplicationPlan> {
  const plan = await planDrafts(em, resourceChecks, environment, draft);
  const { application: name, resources } = draft;
  const manifest = manifestOf(resources.map((one) => inApplication(one, name)));
  return { ...plan, promoted: { name, manifest } };
}

/** As `planApplication`, of resources of any application. */
export async function planDrafts(
  em: PlatformEntityManager,
  resourceChecks: ResourceChecks,
  { code: targetCode }: Pick<Environment, 'code'>,
  { application, resources: drafts, prune }: Drafts,
): Promise<DraftPlan> {
  const target = await entriesOf(em, targetCode);
  const resources =
    application === null ? whereTheyAre(drafts, target) : drafts.map((draft) => inApplication(draft, application));
  const entries = await entriesOfDrafts(em, targetCode, resources, target);
  const kept = new Set(entries.map(({ pid }) => pid));
  const rest = Map.groupBy(
    target.filter(({ pid }) => !kept.has(pid)),
    applicationOf,
  );
  const unmanaged = application === null ? [] : (rest.get(application) ?? []);
  const present = new Map(target.map((entry) => [entry.pid, entry]));
  const changed: ExportEntry[] = [];
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
  const input = {
    ...given,
    autoInclude: false,
    overwrites: true,
    appliedHashes: new Map<string, never>(),
    ...(application !== null && { application }),
  };
  const { items, conflicts } = await planPromotion(em, resourceChecks, input, []);
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
    present,
    units,
  };
}

/** A draft that does not name an application leaves its resource where it is. */
function whereTheyAre(drafts: readonly ResourceDraft[], target: readonly ExportEntry[]): ResourceDraft[] {
  const present = new Map(target.map((entry) => [nameOf(entry), entry]));
  return drafts.map((draft) => {
    const was = present.get(nameOf(draft)) ?? present.get(nameBefore(draft));
    const app = was ? applicationOf(was) : null;
    return app === null ? draft : inApplication(draft, app);
  });
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
  source: ReadonlyMap<string, ExportEntry>,
  present: ReadonlyMap<string, ExportEntry>,
): PlannedChange {
  const isUpdate = item.action === 'UPDATE';
  return { ...item, patch: isUpdate ? patchOf(source.get(item.pid), present.get(item.pid)) : [] };
}

/**
 * Drafts as entries of an export: with the pids that they have, in the target or elsewhere, and with their
 * next versions. What says nothing new is the target's own entry.
 */
async function entriesOfDrafts(
  em: PlatformEntityManager,
  environment: string,
  drafts: readonly ResourceDraft[],
  target: readonly ExportEntry[],
): Promise<ExportEntry[]> {
  const present = new Map(target.map((entry) => [nameOf(entry), entry]));
  // A renamed resource is the one that the target has under its old code.
  const presentAs = (draft: ResourceDraft): ExportEntry | undefined =>
    present.get(nameOf(draft)) ?? present.get(nameBefore(draft));
  const changed = drafts.filter((draft) => !isSame(presentAs(draft), draft));
  const known = new Map((await pidsOf(em, environment, changed)).map((one) => [nameOf(one), one]));
  const pids = [...known.values()].map(({ pid }) => pid);
  const others = { environment: { $ne: environment }, pid: { $in: pids } };
  const elsewhere = Map.groupBy(await em.find(ResourceEntity, others, { disableIdentityMap: true }), ({ pid }) => pid);
  return drafts.map((draft): ExportEntry => {
    const was = presentAs(draft);
    if (was && isSame(was, draft)) return was;
    const { resourceType, code, content } = draft;
    const found = known.get(nameOf(draft));
    const pid = was?.pid ?? found?.pid ?? newPid();
    // The same content has the same version in every environment.
    const isTwin = (one: ExportEntry): boolean => one.version > (was?.version ?? 0) && isSame(one, draft);
    const twin = elsewhere.get(pid)?.find(isTwin);
    const highest = Math.max(was?.version ?? 0, found?.version ?? 0);
    return { resourceType, code, content, pid, version: twin?.version ?? highest + 1 };
  });
}

function nameBefore(draft: ResourceDraft): string {
  return nameOf({ ...draft, code: codeBeforeRename(draft) ?? draft.code });
}

function isSame(entry: Pick<ExportEntry, 'code' | 'content'> | undefined, { code, content }: ResourceDraft): boolean {
  return entry?.code === code && canonicalJson(entry.content) === canonicalJson(content);
}
