import { ResourceEntity, ResourceVersionEntity } from '../resources/resource.entity.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { permissionsOfRenames } from './former-codes.ts';
import type { FindUses, FollowRenames } from './renamed-fields.ts';
import type { FieldRenames } from '../resources/field-renames.ts';

/**
 * Roles and row rules name permissions of fields. Each resource that does gets a version with the new
 * codes.
 */
export const followInResources: FollowRenames = async (em, renames) => {
  const { environment, modelCode } = renames;
  const { updatedBy } = await em.findOneOrFail(ResourceEntity, {
    environment,
    resourceType: 'MODEL',
    code: modelCode,
  });
  for (const { resource, content } of await changedResources(em, renames)) {
    const { pid, resourceType, code } = resource;
    const [last] = await em.find(
      ResourceVersionEntity,
      { environment, pid },
      { orderBy: { version: 'desc' }, limit: 1 },
    );
    const stamp = { version: (last?.version ?? 0) + 1, updatedBy, updatedAt: new Date() };
    em.create(ResourceVersionEntity, { environment, pid, resourceType, code, content, ...stamp });
    em.assign(resource, { content, ...stamp });
  }
  await em.flush();
};

export const resourcesNaming: FindUses = async (em, renames) =>
  (await changedResources(em, renames)).map(({ resource: { resourceType, code } }) => `${resourceType}/${code}`);

/** The resources that name permissions of the fields, with their contents after the renames. */
async function changedResources(em: PlatformEntityManager, renames: FieldRenames) {
  const codes = permissionsOfRenames(renames);
  const resources = await em.find(ResourceEntity, { environment: renames.environment });
  return resources.flatMap((resource) => {
    const content = withTexts(resource.content, codes) as object;
    return content === resource.content ? [] : [{ resource, content }];
  });
}

/** A JSON value in which whole texts are replaced; the very same value where it has none of them. */
function withTexts(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return texts.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, item, withTexts(item, texts)] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  const items = entries.map(([, , after]) => after);
  if (Array.isArray(value)) return [...new Set(items)];
  return Object.fromEntries(entries.map(([key, , after]) => [key, after]));
}
