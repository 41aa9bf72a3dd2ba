import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import { permissionsOfRenames } from '../../metadata/models/former-codes.ts';
import type { ModelContent } from '../../metadata/models/model-content.ts';
import type { FindUses, FollowRenames } from '../../metadata/models/renamed-fields.ts';
import { ResourceEntity } from '../../metadata/resources/resource.entity.ts';
import { keyOfCopy } from '../accounts/row-cache.ts';
import { KIND_OF_COPY, shownPrefix } from './api-keys.ts';

/**
 * Scopes of keys name fields. A key holds in all environments, and in some the field has its former code
 * still: the key gets the new scope beside the old one.
 */
export function followInKeys(store: RedisStore): FollowRenames {
  return async (em, renames) => {
    const codes = permissionsOfRenames(renames);
    const keys = await sqlRunnerOf(em).query<{ prefix: string }>(
      `update platform.api_key set scopes = array(select distinct unnest(scopes || array(
         select r.to_code from unnest($1::text[], $2::text[]) r(from_code, to_code) where r.from_code = any(scopes))))
       where scopes && $1 returning prefix`,
      [[...codes.keys()], [...codes.values()]],
    );
    // The rows are locked, as for every change of a copied row.
    if (keys.length > 0) await store.pipeline([['del', ...keys.map(({ prefix }) => keyOfCopy(KIND_OF_COPY, prefix))]]);
  };
}

/** Keys hold in all environments: one that names a field which another environment has is left alone. */
export const keysNaming: FindUses = async (em, renames) => {
  const others = await em.find(ResourceEntity, {
    environment: { $ne: renames.environment },
    resourceType: 'MODEL',
    code: renames.modelCode,
  });
  const elsewhere = new Set(others.flatMap(({ content }) => (content as ModelContent).fields.map(({ code }) => code)));
  const codes = new Map([...renames.codes].filter(([code]) => !elsewhere.has(code)));
  const keys = await sqlRunnerOf(em).query<{ prefix: string }>(
    `select prefix from platform.api_key where scopes && $1 order by prefix`,
    [[...permissionsOfRenames({ ...renames, codes }).keys()]],
  );
  return keys.map(({ prefix }) => `API_KEY/${shownPrefix(prefix)}`);
};
