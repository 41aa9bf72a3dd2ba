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
} from '../../../foundation/validation/schema.ts';
import {
  USER_STATUSES,
  TENANT_ID,
  NEW_USER_BODY,
  checkNewUser,
  USER_CHANGES_BODY,
  checkTenantsOnce,
} from '../user-requests.ts';
import { type UsersService, type UserDetails } from './users.service.ts';
import { type Authorities } from '../authority.ts';
import { LEFT_BEHIND_KINDS } from '../../../platform/auth/left-behind.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { USER_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import { parameters } from '../../../foundation/http/read-request.ts';
import { PAGING_QUERY, pageOf } from '../../../foundation/http/paging.ts';
import { storable } from '../../../foundation/validation/formats.ts';
import { languageOf } from '../../../foundation/http/language.ts';
import { MAX_KEYWORD_LENGTH } from '../administration.limits.ts';

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
  kind: oneOf(LEFT_BEHIND_KINDS),
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

/** Users. All need `user:manage`; with `admin:users` they reach into all tenants. */
export function userEndpoints(users: UsersService, authorities: Authorities): readonly Endpoint[] {
  return [...collectionEndpoints(users, authorities), ...singleUserEndpoints(users, authorities)];
}

function collectionEndpoints(users: UsersService, authorities: Authorities): readonly Endpoint[] {
  const authorize = authorities.requiring(USER_MANAGE);
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
      check: ({ body }, errors) => checkNewUser(body, errors),
      handle: async ({ actor, granted, body, request }) =>
        present(await users.create(actor, granted, body, languageOf(request))),
    }),
  ];
}

function singleUserEndpoints(users: UsersService, authorities: Authorities): readonly Endpoint[] {
  const authorize = authorities.requiring(USER_MANAGE);
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
      check: ({ body }, errors) => checkTenantsOnce(body, errors),
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
