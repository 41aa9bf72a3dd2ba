import {
  BOOLEAN,
  described,
  nullable,
  named,
  object,
  PID,
  BIG_ID,
  text,
  oneOf,
  list,
  TIME,
  withMessage,
  NOTHING,
  parameters,
} from '../../../foundation/validation/schema.ts';
import {
  USER_STATUSES,
  TENANT_ID,
  NEW_USER_BODY,
  checkNewUser,
  USER_CHANGES_BODY,
  checkTenantsOnce,
} from '../user-requests.ts';
import type { UsersService, UserDetails } from './users.service.ts';
import type { RequireEverywhere } from '../authority.ts';
import { ORPHANED_KINDS } from '../../../platform/auth/orphaned.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { USER_MANAGE, USER_LOOKUP } from '../../../platform/metadata/permissions/permission-codes.ts';
import { PAGING_QUERY, pageOf } from '../../../foundation/http/paging.ts';
import { storable } from '../../../foundation/validation/formats.ts';
import { languageOf } from '../../../foundation/http/language.ts';
import { MAX_KEYWORD_LENGTH } from '../administration.limits.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { findUsers } from '../../../platform/auth/accounts/user-lookup.ts';
import { LOOKED_UP_USERS } from '../../../platform/auth/auth.limits.ts';

/** Who can be chosen for a field of type `user`. */
export function userLookupEndpoints(orm: PlatformOrm): readonly Endpoint[] {
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
      handle: ({ actor, query }) => findUsers(orm, actor.tenantId, query.keyword ?? ''),
    }),
  ];
}

const BASE = '/api/admin/users';
const tag = 'Administration';

const ABOUT = {
  pid: PID,
  userId: BIG_ID,
  email: text(),
  username: text(),
  status: oneOf(USER_STATUSES),
  memberships: list(object({ tenantId: BIG_ID, tenantName: text(), roles: list(text()) })),
  createdAt: TIME,
};
const USER = named('User', object(ABOUT));
const LEFT_BEHIND = object({
  kind: oneOf(ORPHANED_KINDS),
  pid: PID,
  name: text(),
  tenantId: BIG_ID,
  environment: nullable(text()),
  adopted: BOOLEAN,
});
const CHANGED_USER = object({
  ...ABOUT,
  leftBehind: described('Keys, subscriptions and channels of the user that stopped working', list(LEFT_BEHIND)),
});

/** Users. All need `user:manage`; with `admin:users` they concern all tenants. */
export function userEndpoints(users: UsersService, requireEverywhere: RequireEverywhere): readonly Endpoint[] {
  return [...collectionEndpoints(users, requireEverywhere), ...singleUserEndpoints(users, requireEverywhere)];
}

function collectionEndpoints(users: UsersService, requireEverywhere: RequireEverywhere): readonly Endpoint[] {
  const authorize = requireEverywhere(USER_MANAGE);
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access: [USER_MANAGE],
      authorize,
      tag,
      summary: 'Users, of all tenants with `admin:users`',
      query: parameters({
        ...PAGING_QUERY,
        keyword: storable({ maxLength: MAX_KEYWORD_LENGTH }),
        status: oneOf(USER_STATUSES),
        tenantId: withMessage('must be the id of a tenant', TENANT_ID),
      }),
      data: pageOf(USER),
      async handle({ actor, granted, query: { pageNum, pageSize, ...filter } }) {
        const { records, total } = await users.list(actor, granted, filter, { pageNum, pageSize });
        return { records: records.map(present), total, pageNum, pageSize };
      },
    }),
    endpoint({
      method: 'POST',
      path: BASE,
      access: [USER_MANAGE],
      authorize,
      tag,
      summary: 'Make a user',
      body: NEW_USER_BODY,
      data: USER,
      errors: ['CONFLICT'],
      check({ actor, granted, body }, errors) {
        checkNewUser(body, errors);
        return users.check(actor, granted, body.memberships ?? [], errors);
      },
      handle: async ({ actor, granted, body, request }) =>
        present(await users.create(actor, granted, body, languageOf(request))),
    }),
  ];
}

function singleUserEndpoints(users: UsersService, requireEverywhere: RequireEverywhere): readonly Endpoint[] {
  const authorize = requireEverywhere(USER_MANAGE);
  return [
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid`,
      access: [USER_MANAGE],
      authorize,
      tag,
      summary: 'One user',
      data: USER,
      handle: async ({ actor, granted, params }) => present(await users.get(actor, granted, params.pid)),
    }),
    endpoint({
      method: 'PATCH',
      path: `${BASE}/:pid`,
      access: [USER_MANAGE],
      authorize,
      tag,
      summary: 'Change a user',
      body: USER_CHANGES_BODY,
      data: CHANGED_USER,
      errors: ['CONFLICT'],
      check({ actor, granted, body }, errors) {
        checkTenantsOnce(body, errors);
        return users.check(actor, granted, body.memberships ?? [], errors);
      },
      async handle({ actor, granted, params, body }) {
        const { leftBehind, ...details } = await users.update(actor, granted, params.pid, body);
        return { ...present(details), leftBehind };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/reset`,
      access: [USER_MANAGE],
      authorize,
      tag,
      summary: 'End all sessions and have the user choose a new password',
      data: NOTHING,
      errors: ['CONFLICT'],
      async handle({ actor, granted, params, request }) {
        await users.reset(actor, granted, params.pid, languageOf(request));
        return null;
      },
    }),
  ];
}

function present({ user, memberships }: UserDetails) {
  const { pid, id: userId, email, username, status, createdAt } = user;
  const presented = memberships.map(({ tenant, roles }) => ({ tenantId: tenant.id, tenantName: tenant.name, roles }));
  return { pid, userId, email, username, status, memberships: presented, createdAt };
}
