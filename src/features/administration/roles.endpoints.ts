import { localizedName } from '../../foundation/i18n/text.ts';
import { type RequireEverywhere } from './authority.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { USER_MANAGE } from '../../platform/metadata/permissions/permission-codes.ts';
import { list, object, text, BOOLEAN } from '../../foundation/validation/schema.ts';
import { BUILT_IN_ROLES } from '../../platform/metadata/permissions/permissions.ts';
import { PERMISSION } from '../../platform/metadata/permissions/permission-type.ts';

/**
 * The roles of the request's environment, to choose from. They are edited as PERMISSION resources
 * (`meta:save`).
 */
export function roleEndpoints(requireEverywhere: RequireEverywhere): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/admin/roles',
      access: [USER_MANAGE],
      authorize: requireEverywhere(USER_MANAGE),
      tag: 'Administration',
      summary: 'The roles that memberships may name',
      data: list(object({ code: text(), name: text(), builtIn: BOOLEAN, codes: list(text()), grantable: BOOLEAN })),
      handle({ actor: { metadata }, granted }) {
        const builtIn = [...BUILT_IN_ROLES].map((code) => ({ code, name: code, builtIn: true }));
        const defined = [...metadata.all(PERMISSION)].map(([code, { name }]) => ({ code, name, builtIn: false }));
        return [...builtIn, ...defined].map((role) => ({
          ...role,
          name: localizedName(role.name),
          codes: metadata.permissionsOf([role.code]).codes,
          grantable: granted.mayGrant(role.code),
        }));
      },
    }),
  ];
}
