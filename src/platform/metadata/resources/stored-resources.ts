import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';

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
export function storedResources(em: PlatformEntityManager, environments: readonly string[]): Promise<StoredResource[]> {
  return sqlRunnerOf(em).query<StoredResource>(
    `select environment, resource_type, pid, code, version, content from platform.dsl_resource
     where environment = any($1)`,
    [environments],
  );
}
