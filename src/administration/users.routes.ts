import { Router, type Request } from 'express';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { jsonBody } from '../http/json-body.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { USER_MANAGE } from '../metadata/permission-codes.ts';
import type { Admit } from './admitted.ts';
import { parseNewUser, parseUserChanges, TENANT_ID } from './user-requests.ts';
import type { UserDetails, UserFilter, UsersService } from './users.service.ts';
import * as contracts from './administration.contracts.ts';

const BASE = '/api/admin/users';
const { MAX_KEYWORD_LENGTH } = contracts;
const KEYWORD = new RegExp(`^[^\\0]{1,${MAX_KEYWORD_LENGTH}}$`, 's');

/** Users. All need `user:manage`; with `admin:users` they reach into all tenants. */
export function userRoutes(admit: Admit, users: UsersService): Router {
  const router = Router();

  router.get(
    BASE,
    access(USER_MANAGE),
    contract(contracts.listUsers),
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      const errors: FieldErrors = {};
      const filter = parseFilter(request.query, errors);
      const paging = parsePaging(request.query, errors);
      throwIfInvalid(errors);
      const { records, total } = await users.list(actor, authority, filter, paging);
      return ok({ records: records.map(present), total, ...paging });
    }),
  );
  router.post(
    BASE,
    access(USER_MANAGE),
    contract(contracts.createUser),
    jsonBody,
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      return ok(present(await users.create(actor, authority, parseNewUser(bodyOf(request)))));
    }),
  );
  router.all(BASE, onlyMethods('GET', 'POST'));

  router.get(
    `${BASE}/:pid`,
    access(USER_MANAGE),
    contract(contracts.getUser),
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      return ok(present(await users.get(actor, authority, String(request.params.pid))));
    }),
  );
  router.patch(
    `${BASE}/:pid`,
    access(USER_MANAGE),
    contract(contracts.changeUser),
    jsonBody,
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      const changes = parseUserChanges(bodyOf(request));
      return ok(present(await users.update(actor, authority, String(request.params.pid), changes)));
    }),
  );
  router.all(`${BASE}/:pid`, onlyMethods('GET', 'PATCH'));

  router.post(
    `${BASE}/:pid/reset`,
    access(USER_MANAGE),
    contract(contracts.resetUser),
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      await users.reset(actor, authority, String(request.params.pid));
      return ok(null);
    }),
  );
  router.all(`${BASE}/:pid/reset`, onlyMethods('POST'));
  return router;
}

function bodyOf(request: Request): Record<string, unknown> {
  return request.body as Record<string, unknown>;
}

function parseFilter(query: Request['query'], errors: FieldErrors): UserFilter {
  const text = (name: string, form: RegExp, problem: string): string | undefined => {
    const value = query[name];
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'string' && form.test(value)) return value;
    errors[name] = problem;
    return undefined;
  };
  const status = text('status', /^(active|disabled)$/, 'must be one of active, disabled');
  return {
    keyword: text('keyword', KEYWORD, `must be one text of at most ${MAX_KEYWORD_LENGTH} characters`),
    status: status as UserFilter['status'],
    tenantId: text('tenantId', TENANT_ID, 'must be the id of a tenant'),
  };
}

function present({ user, memberships }: UserDetails) {
  const { pid, id: userId, email, username, status, createdAt } = user;
  const places = memberships.map((membership) => ({
    tenantId: membership.tenant.id,
    tenantName: membership.tenant.name,
    roles: membership.roles,
  }));
  return { pid, userId, email, username, status, memberships: places, createdAt };
}
