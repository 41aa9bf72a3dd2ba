import type { Reference, ResourceType } from './resource-type.ts';

/** A reference from `content.<path>` to a model, or to a field of it. */
export function toModel(path: string, code: string, field?: string): Reference {
  return { ...toResource(path, { name: 'MODEL' }, code), ...(field !== undefined && { field }) };
}

/** A reference from `content.<path>` to a resource. */
export function toResource(path: string, { name }: Pick<ResourceType, 'name'>, code: string): Reference {
  return { path: `content.${path}`, resourceType: name, code };
}
