import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { canonicalJson } from '../../../foundation/validation/canonical-json.ts';
import type { ResourceDraft } from '../../../platform/metadata/changes/resources.service.ts';
import { codeBeforeRename } from '../../../platform/metadata/resources/common-content.ts';
import { pidsOf } from '../../../platform/metadata/resources/resource-versions.ts';
import { ResourceEntity } from '../../../platform/metadata/resources/resource.entity.ts';
import type { SnapshotEntry } from '../../environments/environment-snapshot.ts';
import { nameOf } from './manifests.ts';

/**
 * Drafts as entries of a snapshot: with the pids that they have, in the target or elsewhere, and with their
 * next versions. What says nothing new is the target's own entry.
 */
export async function entriesOfDrafts(
  em: PlatformEntityManager,
  environment: string,
  drafts: readonly ResourceDraft[],
  target: readonly SnapshotEntry[],
): Promise<SnapshotEntry[]> {
  const present = new Map(target.map((entry) => [nameOf(entry), entry]));
  // A renamed resource is the one that the target has under its old code.
  const presentAs = (draft: ResourceDraft): SnapshotEntry | undefined =>
    present.get(nameOf(draft)) ?? present.get(nameBefore(draft));
  const changed = drafts.filter((draft) => !isSame(presentAs(draft), draft));
  const known = new Map((await pidsOf(em, environment, changed)).map((one) => [nameOf(one), one]));
  const pids = [...known.values()].map(({ pid }) => pid);
  const others = { environment: { $ne: environment }, pid: { $in: pids } };
  const elsewhere = Map.groupBy(await em.find(ResourceEntity, others, { disableIdentityMap: true }), ({ pid }) => pid);
  return drafts.map((draft): SnapshotEntry => {
    const was = presentAs(draft);
    if (was && isSame(was, draft)) return was;
    const { resourceType, code, content } = draft;
    const found = known.get(nameOf(draft));
    const pid = was?.pid ?? found?.pid ?? newPid();
    // The same content has the same version in every environment.
    const isTwin = (one: SnapshotEntry): boolean => one.version > (was?.version ?? 0) && isSame(one, draft);
    const twin = elsewhere.get(pid)?.find(isTwin);
    const highest = Math.max(was?.version ?? 0, found?.version ?? 0);
    return { resourceType, code, content, pid, version: twin?.version ?? highest + 1 };
  });
}

function nameBefore(draft: ResourceDraft): string {
  return nameOf({ ...draft, code: codeBeforeRename(draft) ?? draft.code });
}

function isSame(entry: Pick<SnapshotEntry, 'code' | 'content'> | undefined, { code, content }: ResourceDraft): boolean {
  return entry?.code === code && canonicalJson(entry.content) === canonicalJson(content);
}
