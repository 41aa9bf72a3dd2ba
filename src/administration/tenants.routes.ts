import { Router } from 'express';
import type { Tenant } from '../auth/tenant.entity.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { jsonBody } from '../http/json-body.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_USERS } from '../metadata/permission-codes.ts';
import type { Admit } from './admitted.ts';
import type { TenantsService, TenantStatus } from './tenants.service.ts';
import { parseName, refuseOthers } from './user-requests.ts';
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
      const errors: FieldErrors = {};
      const paging = parsePaging(request.query, errors);
      throwIfInvalid(errors);
      const { records, total } = await tenants.list(paging);
      return ok({ records: records.map(present), total, ...paging });
    }),
  );
  router.post(
    BASE,
    access(ADMIN_USERS),
    contract(contracts.createTenant),
    jsonBody,
    answer(async (request) => {
      const { actor } = await admit(request, ADMIN_USERS);
      const { name = '' } = parseTenant(request.body, ['name']);
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
    jsonBody,
    answer(async (request) => {
      const { actor } = await admit(request, ADMIN_USERS);
      const changes = parseTenant(request.body, ['name', 'status']);
      return ok(present(await tenants.update(actor, String(request.params.pid), changes)));
    }),
  );
  router.all(`${BASE}/:pid`, onlyMethods('GET', 'PATCH'));
  return router;
}

/** A new tenant needs a name; a change may leave it out. */
function parseTenant(body: unknown, known: string[]): { name?: string; status?: TenantStatus } {
  const given = body as Record<string, unknown>;
  const errors: FieldErrors = {};
  const { name, status } = given;
  const isNew = !known.includes('status');
  const parsed = {
    ...((isNew || name !== undefined) && { name: parseName('name', name, errors) }),
    ...(!isNew && status !== undefined && { status: status as TenantStatus }),
  };
  if (parsed.status !== undefined && !contracts.TENANT_STATUSES.includes(parsed.status)) {
    errors.status = `must be one of ${contracts.TENANT_STATUSES.join(', ')}`;
  }
  refuseOthers(given, known, errors);
  throwIfInvalid(errors);
  return parsed;
}

function present({ id, pid, name, status, createdAt }: Tenant) {
  return { pid, tenantId: id, name, status, createdAt };
}
