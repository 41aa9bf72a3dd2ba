import { ulid } from 'ulid';
import type { Application } from '../../src/application.ts';
import { ENVIRONMENTS } from '../../src/foundation/config/environments.ts';
import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { lockEnvironment } from '../../src/platform/metadata/changes/resources.service.ts';

/** ULIDs in the codes that the present test file has made. */
const made = new Set<string>();

/** A ULID for the code of a resource, which goes when the test file is over. */
export function newCodeId(): string {
  const id = ulid();
  made.add(id);
  return id;
}

/**
 * Removes the resources with such codes: a publish takes the longer the more there are. Their tables stay,
 * and no node is told: the next publish takes them out of every node.
 */
export async function removeOwnResources({ orm }: Application): Promise<void> {
  const ids = [...made];
  made.clear();
  if (ids.length === 0) return;
  const isOwn = `environment = $1 and upper(substring(code from '[tT]_([0-9a-zA-Z]{26})')) = any($2::text[])`;
  for (const environment of ENVIRONMENTS) {
    const own = await sqlRunnerOf(orm.em.fork()).query(`select 1 from platform.dsl_resource where ${isOwn} limit 1`, [
      environment,
      ids,
    ]);
    if (own.length === 0) continue;
    await orm.em.fork().transactional(async (em) => {
      await lockEnvironment(em, environment);
      await sqlRunnerOf(em).query(`delete from platform.dsl_resource where ${isOwn}`, [environment, ids]);
    });
  }
}
