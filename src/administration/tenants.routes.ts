import { Router } from 'express';
import type { Tenant } from '../auth/tenant.entity.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import type { Paging } from '../http/paging.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_USERS } from '../metadata/permission-codes.ts';
import type { Admit } from './admitted.ts';
import type { TenantChanges, TenantsService } from './tenants.service.ts';
import * as contracts from './administration.contracts.ts';

const BASE = '/api/admin/tenants';

/** Tenants. All need `admin:users`. */
export function tenantRoutes(admit: Admit, tenants: TenantsService): Router {
  const router = Router();

  router.get(
    BASE,
    access(ADMIN_USERS),
    contract(contracts.listTenants),
    answer(async (request) => {
      await admit(request, ADMIN_USERS);
      const paging = readQuery<Paging>(request, contracts.listTenants);
      const { records, total } = await tenants.list(paging);
      return ok({ records: records.map(present), total, ...paging });
    }),
  );
  router.post(
    BASE,
    access(ADMIN_USERS),
    contract(contracts.createTenant),
    answer(async (request) => {
      const { actor } = await admit(request, ADMIN_USERS);
      const { name } = await readBody<{ name: string }>(request, contracts.createTenant);
      return ok(present(await tenants.create(actor, name)));
    }),
  );
  router.all(BASE, onlyMethods('GET', 'POST'));

  router.get(
    `${BASE}/:pid`,
    access(ADMIN_USERS),
    contract(contracts.getTenant),
    answer(async (request) => {
      await admit(request, ADMIN_USERS);
      return ok(present(await tenants.get(String(request.params.pid))));
    }),
  );
  router.patch(
    `${BASE}/:pid`,
    access(ADMIN_USERS),
    contract(contracts.changeTenant),
    answer(async (request) => {
      const { actor } = await admit(request, ADMIN_USERS);
      const changes = await readBody<TenantChanges>(request, contracts.changeTenant);
      return ok(present(await tenants.update(actor, String(request.params.pid), changes)));
    }),
  );
  router.all(`${BASE}/:pid`, onlyMethods('GET', 'PATCH'));
  return router;
}

function present({ id, pid, name, status, createdAt }: Tenant) {
  return { pid, tenantId: id, name, status, createdAt };
}
