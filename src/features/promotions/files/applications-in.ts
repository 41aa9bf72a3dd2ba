import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { applicationOf } from '../../../platform/metadata/resources/common-content.ts';
import { storedResources } from '../../../platform/metadata/resources/stored-resources.ts';
import { ApplicationManifestEntity } from '../promotion/application-manifest.entity.ts';

/** An application as an environment has it. */
interface PresentApplication {
  readonly application: string;
  readonly resources: number;
  /** Its files as last applied; null where it has none. */
  readonly files: { readonly appliedAt: Date; readonly appliedBy: string; readonly appliedByName: string } | null;
}

/** The applications that an environment has resources or files of, by name. */
export async function applicationsIn(em: PlatformEntityManager, environment: string): Promise<PresentApplication[]> {
  const manifests = await em.find(ApplicationManifestEntity, { environment }, { exclude: ['resources'] });
  const files = new Map(manifests.map((one) => [one.application, one]));
  const counts = new Map<string, number>(manifests.map(({ application }) => [application, 0]));
  for (const resource of await storedResources(em, [environment])) {
    const application = applicationOf(resource);
    if (application !== null) counts.set(application, (counts.get(application) ?? 0) + 1);
  }
  return [...counts].sort().map(([application, resources]) => {
    const { appliedAt, appliedBy, appliedByName } = files.get(application) ?? {};
    const applied = appliedAt && appliedBy !== undefined && appliedByName !== undefined;
    return { application, resources, files: applied ? { appliedAt, appliedBy, appliedByName } : null };
  });
}
