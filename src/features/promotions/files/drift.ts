import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { usernamesOf } from '../../../platform/auth/accounts/usernames.ts';
import { applicationOf } from '../../../platform/metadata/resources/common-content.ts';
import { lastWritesOf } from '../../../platform/metadata/resources/resource-versions.ts';
import { ResourceEntity } from '../../../platform/metadata/resources/resource.entity.ts';
import { canonicalHash } from '../../../foundation/validation/canonical-json.ts';
import { ApplicationManifestEntity, type ApplicationManifest } from '../promotion/application-manifest.entity.ts';
import { nameOf } from '../promotion/manifests.ts';

/** A resource that is no longer as the files said. */
export interface DriftedResource {
  readonly resourceType: string;
  readonly code: string;
  readonly change: 'ADDED' | 'CHANGED' | 'REMOVED';
  readonly version: number;
  readonly by: string | null;
  readonly byName: string | null;
  readonly at: Date;
}

export interface Drift {
  readonly manifest: ApplicationManifest;
  readonly resources: readonly DriftedResource[];
}

/**
 * How an environment differs from the files of an application as they were last applied, and who made it so.
 * @throws NOT_FOUND for an application that was never applied there
 */
export async function driftOf(em: PlatformEntityManager, environment: string, application: string): Promise<Drift> {
  const manifest = await em.findOne(ApplicationManifestEntity, { environment, application });
  if (!manifest) throw notFound(text('The application {application} has not been applied here', { application }));
  const present = await em.find(ResourceEntity, { environment }, { disableIdentityMap: true });
  const expected = new Map(manifest.resources.map((one) => [nameOf(one), one]));
  const drifted = present.flatMap(({ resourceType, code, version, content, updatedBy, updatedAt }) => {
    const name = nameOf({ resourceType, code });
    const known = expected.get(name);
    // Resources from before the files are no drift.
    const isAdded = applicationOf({ content }) === application && updatedAt > manifest.appliedAt;
    if (known ? known.hash === canonicalHash(content) : !isAdded) return [];
    return [stamped(known ? 'CHANGED' : 'ADDED', { resourceType, code, version }, updatedBy, updatedAt)];
  });
  const names = new Set(present.map(nameOf));
  const gone = manifest.resources.filter((one) => !names.has(nameOf(one)));
  const removed = (await lastWritesOf(em, environment, gone)).map(({ by, at, ...resource }) =>
    stamped('REMOVED', resource, by, at),
  );
  const resources = [...drifted, ...removed];
  return { manifest, resources: await withNames(em, resources) };
}

function stamped(
  change: DriftedResource['change'],
  resource: Pick<DriftedResource, 'resourceType' | 'code' | 'version'>,
  by: string | null | undefined,
  at: Date,
): DriftedResource {
  return { ...resource, change, by: by ?? null, byName: null, at };
}

async function withNames(em: PlatformEntityManager, resources: readonly DriftedResource[]): Promise<DriftedResource[]> {
  const nameOf = await usernamesOf(
    em,
    resources.map(({ by }) => by),
  );
  return resources.map((one) => ({ ...one, byName: nameOf(one.by) }));
}
