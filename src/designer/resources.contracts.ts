import type { Contract } from '../http/contract.ts';
import { storable } from '../http/formats.ts';
import { PAGING_QUERY, pageOf } from '../http/paging.ts';
import { BOOLEAN, integer, list, MAP, named, nullable, object, oneOf, PID, text, TIME } from '../http/schema.ts';
import { RESOURCE_TYPES } from '../metadata/content.ts';

const tag = 'Configuration';

const ABOUT = {
  resourceType: oneOf(RESOURCE_TYPES),
  pid: PID,
  code: text(),
  version: integer(1),
  updatedBy: nullable(text()),
  updatedAt: TIME,
};
const RESOURCE = named('Resource', object({ ...ABOUT, content: MAP }));

export const listResources: Contract = {
  ...{ tag, summary: 'Resources of the environment', data: pageOf(RESOURCE) },
  query: { ...PAGING_QUERY, resourceType: oneOf(RESOURCE_TYPES), code: storable() },
};
export const getResource: Contract = { tag, summary: 'One resource', path: { pid: PID }, data: RESOURCE };
export const listVersions: Contract = {
  ...{ tag, summary: 'All versions of a resource, the newest first', path: { pid: PID } },
  data: list(object({ ...ABOUT, content: nullable(MAP), deleted: BOOLEAN })),
};
