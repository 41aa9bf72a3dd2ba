import type { Resource } from '../../platform/metadata/resources/resource.entity.ts';

type Presented = Pick<Resource, 'resourceType' | 'pid' | 'code' | 'version' | 'updatedBy' | 'updatedAt'> & {
  readonly content?: Resource['content'] | null;
};

/** A resource or a version of one, as the API shows it. */
export function presentResource({ resourceType, pid, code, version, content, updatedBy, updatedAt }: Presented) {
  return { resourceType, pid, code, version, content, updatedBy, updatedAt };
}
