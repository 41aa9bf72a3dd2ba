import { Router } from 'express';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { languageOf } from '../http/language.ts';
import type { Paging } from '../http/paging.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { USER_MANAGE } from '../metadata/permission-codes.ts';
import type { Admit } from './admitted.ts';
import { eachTenantOnce, newUserRules, type NewUser, type UserChanges } from './user-requests.ts';
import type { UserDetails, UserFilter, UsersService } from './users.service.ts';
import * as contracts from './administration.contracts.ts';

const BASE = '/api/admin/users';

/** Users. All need `user:manage`; with `admin:users` they reach into all tenants. */
export function userRoutes(admit: Admit, users: UsersService): Router {
  const router = Router();

  router.get(
    BASE,
    access(USER_MANAGE),
    contract(contracts.listUsers),
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      const { pageNum, pageSize, ...filter } = readQuery<Paging & UserFilter>(request, contracts.listUsers);
      const { records, total } = await users.list(actor, authority, filter, { pageNum, pageSize });
      return ok({ records: records.map(present), total, pageNum, pageSize });
    }),
  );
  router.post(
    BASE,
    access(USER_MANAGE),
    contract(contracts.createUser),
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      const asked = await readBody<NewUser>(request, contracts.createUser, newUserRules);
      return ok(present(await users.create(actor, authority, asked, languageOf(request))));
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
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      const changes = await readBody<UserChanges>(request, contracts.changeUser, eachTenantOnce);
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
      await users.reset(actor, authority, String(request.params.pid), languageOf(request));
      return ok(null);
    }),
  );
  router.all(`${BASE}/:pid/reset`, onlyMethods('POST'));
  return router;
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
