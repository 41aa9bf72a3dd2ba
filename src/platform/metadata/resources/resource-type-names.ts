import { oneOf } from '../../../foundation/validation/schema.ts';

/** Names of all types of resources: no `ResourceType` has another one. */
const NAMES = [
  'MODEL',
  'PAGE_SCHEMA',
  'COMMAND',
  'PERMISSION',
  'DATASOURCE',
  'VIEW',
  'I18N',
  'AUTOMATION',
  'ASSISTANT',
  'IM_CHANNEL',
  'DASHBOARD',
] as const;

export type ResourceTypeName = (typeof NAMES)[number];

/** For the schemas of requests and answers. */
export const RESOURCE_TYPE = oneOf(NAMES);
