import { Router } from 'express';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { answer, ok } from '../http/reply.ts';
import { USER_MANAGE } from '../metadata/permission-codes.ts';
import { BUILT_IN_ROLES } from '../metadata/permissions.ts';
import type { Admit } from './admitted.ts';
import * as contracts from './administration.contracts.ts';

const PATH = '/api/admin/roles';

/** The roles of the request's environment, to choose from. They are edited as PERMISSION resources (`meta:save`). */
export function roleRoutes(admit: Admit): Router {
  const router = Router();
  router.get(
    PATH,
    access(USER_MANAGE),
    contract(contracts.listRoles),
    answer(async (request) => {
      const { actor, authority } = await admit(request, USER_MANAGE);
      const { metadata } = actor;
      const builtIn = [...BUILT_IN_ROLES].map((code) => ({ code, name: code, builtIn: true }));
      const defined = [...metadata.roles].map(([code, { name }]) => ({ code, name, builtIn: false }));
      return ok(
        [...builtIn, ...defined].map((role) => ({
          ...role,
          codes: metadata.permissionsOf([role.code]).codes,
          grantable: authority.mayGrant(role.code),
        })),
      );
    }),
  );
  router.all(PATH, onlyMethods('GET'));
  return router;
}
