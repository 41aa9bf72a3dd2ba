import type { Resource } from '../metadata/resource.entity.ts';

/** A resource as the API shows it. */
export function presentResource({ resourceType, pid, code, version, content, updatedBy, updatedAt }: Resource) {
  return { resourceType, pid, code, version, content, updatedBy, updatedAt };
}
