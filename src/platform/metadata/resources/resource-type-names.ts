/** Names of all types of resources, for the schemas of requests and answers. */
export const RESOURCE_TYPES = [
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
] as const;
