import { Type, type Static } from 'typebox';
import { closedObject, NAME } from '../content/schema-parts.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { PERMISSION_CODE_PATTERN } from './permission-codes.ts';
import { BUILT_IN_ROLES, isOfAllTenants } from './permissions.ts';

const SCHEMA = closedObject({
  name: NAME,
  codes: Type.Array(Type.String({ pattern: PERMISSION_CODE_PATTERN, maxLength: 200 }), {
    maxItems: 1000,
    uniqueItems: true,
  }),
});
export type PermissionContent = Static<typeof SCHEMA>;

/** Roles: sets of permission codes. */
export const PERMISSION: ResourceType<PermissionContent, PermissionContent> = {
  name: 'PERMISSION',
  codePattern: '^[A-Z][A-Z0-9_]{0,63}$',
  schema: SCHEMA,
  notFound: 'There is no such resource',
  unknownCode: '{code} is not a role',
  keep: ({ content }) => content,
  problemOfCode: (code) => (BUILT_IN_ROLES.has(code) ? 'is the code of a built-in role' : null),
  validate: ({ codes }) => {
    const denied = codes.flatMap((code, index) => (isOfAllTenants(code) ? [index] : []));
    return Object.fromEntries(denied.map((index) => [`content.codes.${index}`, 'is for PLATFORM_ADMIN alone']));
  },
};
