import { storable } from '../../../foundation/validation/formats.ts';
import { parameters } from '../../../foundation/http/read-request.ts';
import { list, object, PID, text } from '../../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { USER_LOOKUP } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { UserLookup } from '../../../platform/auth/accounts/user-lookup.ts';
import { LOOKED_UP_USERS } from '../../../platform/auth/auth.limits.ts';
import { MAX_KEYWORD_LENGTH } from '../administration.limits.ts';

/** Who can be chosen for a field of type `user`. */
export function userLookupEndpoints(lookup: UserLookup): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/users/lookup',
      access: [USER_LOOKUP],
      tag: 'Users',
      summary: 'Active members of the tenant, to choose from',
      description: `The first ${LOOKED_UP_USERS} by name whose name or e-mail contains the keyword.`,
      query: parameters({ keyword: storable({ maxLength: MAX_KEYWORD_LENGTH }) }),
      data: list(object({ value: PID, label: text(), email: text() })),
      handle: ({ actor, query }) => lookup.find(actor.tenantId, query.keyword ?? ''),
    }),
  ];
}
