import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { AuditActor } from '../../../platform/audit/audit-entry.entity.ts';
import type { EnvironmentResource } from '../../../platform/metadata/resources/resource-type.ts';
import type { ExportEntry } from '../../environments/environment-export.ts';
import type { Unit } from '../plan/state/promotion-plan.ts';
import { canonicalHash } from '../../../foundation/validation/canonical-json.ts';
import { ApplicationManifestEntity, type ManifestEntry } from './application-manifest.entity.ts';

/** The manifest that a promotion of files carries until it is applied. */
export interface PromotedApplication {
  readonly name: string;
  readonly manifest: readonly ManifestEntry[];
}

/** Files to promote: their changes, and their manifest. */
export interface FilesToPromote {
  readonly entries: readonly ExportEntry[];
  readonly units: readonly Unit[];
  readonly promoted: PromotedApplication;
  readonly reason: string;
}

export function manifestOf(resources: readonly Pick<EnvironmentResource, 'resourceType' | 'code' | 'content'>[]) {
  return resources.map(({ resourceType, code, content }): ManifestEntry => ({
    resourceType,
    code,
    hash: canonicalHash(content),
  }));
}

/** Stores the manifest of applied files, in the transaction of the apply. */
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

export function nameOf({ resourceType, code }: Pick<EnvironmentResource, 'resourceType' | 'code'>): string {
  return `${resourceType}/${code}`;
}
