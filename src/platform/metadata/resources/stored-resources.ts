import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';

/** A resource as it is stored. */
export interface StoredResource {
  readonly environment: string;
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  readonly version: number;
  readonly content: object;
}

/**
 * All resources of environments, for reading. Thousands of entities at once would hold the event loop for as
 * long as the entity manager makes them.
 */
export async function storedResources(
  em: PlatformEntityManager,
  environments: readonly string[],
): Promise<StoredResource[]> {
  const rows = await em.execute<(Omit<StoredResource, 'resourceType'> & { resource_type: string })[]>(
    `select environment, resource_type, pid, code, version, content from platform.dsl_resource
     where environment in (select jsonb_array_elements_text(?::jsonb))`,
    [JSON.stringify(environments)],
  );
  return rows.map(({ resource_type: resourceType, ...rest }) => ({ resourceType, ...rest }));
}
