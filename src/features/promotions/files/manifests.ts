import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { AuditActor } from '../../../platform/audit/audit-entry.entity.ts';
import type { EnvironmentResource } from '../../../platform/metadata/resources/resource-type.ts';
import type { SnapshotEntry } from '../../environments/environment-snapshot.ts';
import type { Unit } from '../plan/state/unit.ts';
import { sha256 } from '../plan/state/promotion-plan.ts';
import { ApplicationManifestEntity, type ManifestEntry } from './application-manifest.entity.ts';

/** What a promotion of files keeps to say, once it is applied, what the files said. */
export interface PromotedApplication {
  readonly name: string;
  readonly manifest: readonly ManifestEntry[];
}

/** Files to promote: what changes by them, and what they say as a whole. */
export interface FilesToPromote {
  readonly entries: readonly SnapshotEntry[];
  readonly units: readonly Unit[];
  readonly promoted: PromotedApplication;
  readonly reason: string;
}

export function manifestOf(resources: readonly Pick<EnvironmentResource, 'resourceType' | 'code' | 'content'>[]) {
  return resources.map(({ resourceType, code, content }): ManifestEntry => ({
    resourceType,
    code,
    hash: sha256(content),
  }));
}

/** Writes down what files said, in the transaction in which they took effect. */
export async function noteManifest(
  em: PlatformEntityManager,
  environment: string,
  { name: application, manifest: resources }: PromotedApplication,
  { userPid: appliedBy, username: appliedByName }: AuditActor,
): Promise<void> {
  await em.upsert(ApplicationManifestEntity, {
    environment,
    application,
    resources,
    appliedAt: new Date(),
    appliedBy,
    appliedByName,
  });
}

/** Names of the resources that the files of other applications have: not this one's to remove. */
export async function namesOfOthers(
  em: PlatformEntityManager,
  environment: string,
  application: string,
): Promise<ReadonlySet<string>> {
  const others = await em.find(
    ApplicationManifestEntity,
    { environment, application: { $ne: application } },
    { disableIdentityMap: true },
  );
  return new Set(others.flatMap(({ resources }) => resources.map(nameOf)));
}

export function nameOf({ resourceType, code }: Pick<EnvironmentResource, 'resourceType' | 'code'>): string {
  return `${resourceType}/${code}`;
}
