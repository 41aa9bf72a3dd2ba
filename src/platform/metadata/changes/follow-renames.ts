import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { canonicalJson } from '../../../foundation/validation/canonical-json.ts';
import type { ModelContent } from '../models/model-content.ts';
import type { FieldRenames } from '../resources/field-renames.ts';
import { renamesOf } from '../models/tables/field-renames.ts';
import { ResourceVersionEntity } from '../resources/resource.entity.ts';
import type { EnvironmentResource } from '../resources/resource-type.ts';
import type { ResourceTypes } from '../resources/resource-types.ts';
import type { ResourceChange } from './resource-change.ts';

/**
 * The next versions of resources that name fields which get another code by the changes, and that the changes
 * leave alone. Of types that follow; the others are refused until they change together with the model.
 */
export async function followersOf(
  types: ResourceTypes,
  em: PlatformEntityManager,
  environment: string,
  before: readonly EnvironmentResource[],
  changes: readonly ResourceChange[],
): Promise<ResourceChange[]> {
  const renames = renamesIn(environment, before, changes);
  if (renames.length === 0) return [];
  const pages = new Map(
    before.flatMap(({ resourceType, code, content }) =>
      resourceType === 'PAGE_SCHEMA' ? [[code, (content as { modelCode: string }).modelCode]] : [],
    ),
  );
  const changed = new Set(changes.map(({ pid }) => pid));
  const followers: ResourceChange[] = [];
  for (const { resourceType, pid, code, content } of before) {
    const type = types.find(resourceType);
    if (!type?.afterRenames || pid === undefined || changed.has(pid)) continue;
    const after = renames.reduce<object>(
      (now, renamed) => type.afterRenames?.(now, renamed, pages) ?? now,
      content as object,
    );
    if (canonicalJson(after) === canonicalJson(content)) continue;
    const [last] = await em.find(
      ResourceVersionEntity,
      { environment, pid },
      { orderBy: { version: 'desc' }, limit: 1 },
    );
    followers.push({ resourceType, pid, code, version: (last?.version ?? 0) + 1, content: after });
  }
  return followers;
}

/** The renames of each model, with the models as they are until then. */
function renamesIn(
  environment: string,
  before: readonly EnvironmentResource[],
  changes: readonly ResourceChange[],
): FieldRenames[] {
  const models = new Map(
    before.flatMap(({ resourceType, code, content }) =>
      resourceType === 'MODEL' ? [[code, content as ModelContent] as const] : [],
    ),
  );
  return changes.flatMap(({ resourceType, code: modelCode, content }) => {
    const known = models.get(modelCode);
    if (resourceType !== 'MODEL' || !content || !known) return [];
    const columns = new Map(known.fields.map((field) => [field.code, field]));
    const codes = new Map(renamesOf(content as ModelContent, known, { columns }).map(({ from, to }) => [from, to]));
    const modelsBefore = new Map(models);
    models.set(modelCode, content as ModelContent);
    return codes.size === 0 ? [] : [{ environment, modelCode, codes, modelsBefore }];
  });
}
