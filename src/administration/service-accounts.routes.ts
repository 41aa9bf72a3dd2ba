import { Router } from 'express';
import type { ApiKey } from '../auth/service-account.entity.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import type { Paging } from '../http/paging.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { SERVICE_ACCOUNT_MANAGE } from '../metadata/permission-codes.ts';
import type { Admit } from './admitted.ts';
import { expiryOf } from './key-expiry.ts';
import type { ServiceAccountDetails, ServiceAccountsService } from './service-accounts.service.ts';
import * as contracts from './administration.contracts.ts';

const BASE = '/api/admin/service-accounts';

/** Programs that use the API, and their keys. All need `service_account:manage`, and reach the own tenant alone. */
export function serviceAccountRoutes(admit: Admit, accounts: ServiceAccountsService): Router {
  const router = Router();

  router.get(
    BASE,
    access(SERVICE_ACCOUNT_MANAGE),
    contract(contracts.listServiceAccounts),
    answer(async (request) => {
      const { actor } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      const paging = readQuery<Paging>(request, contracts.listServiceAccounts);
      const { records, total } = await accounts.list(actor, paging);
      return ok({ records: records.map(present), total, ...paging });
    }),
  );
  router.post(
    BASE,
    access(SERVICE_ACCOUNT_MANAGE),
    contract(contracts.createServiceAccount),
    answer(async (request) => {
      const { actor } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      const { name } = await readBody<{ name: string }>(request, contracts.createServiceAccount);
      return ok(present(await accounts.create(actor, name)));
    }),
  );
  router.all(BASE, onlyMethods('GET', 'POST'));

  router.get(
    `${BASE}/:pid`,
    access(SERVICE_ACCOUNT_MANAGE),
    contract(contracts.getServiceAccount),
    answer(async (request) => {
      const { actor } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      return ok(present(await accounts.get(actor, String(request.params.pid))));
    }),
  );
  router.delete(
    `${BASE}/:pid`,
    access(SERVICE_ACCOUNT_MANAGE),
    contract(contracts.deleteServiceAccount),
    answer(async (request) => {
      const { actor } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      await accounts.delete(actor, String(request.params.pid));
      return ok(null);
    }),
  );
  router.all(`${BASE}/:pid`, onlyMethods('GET', 'DELETE'));

  router.post(
    `${BASE}/:pid/keys`,
    access(SERVICE_ACCOUNT_MANAGE),
    contract(contracts.createKey),
    answer(async (request) => {
      const { actor, authority } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      const { scopes, expiresAt } = await readBody<{ scopes: string[]; expiresAt?: string }>(
        request,
        contracts.createKey,
      );
      const wanted = { scopes: [...new Set(scopes)], expiresAt: expiryOf(expiresAt) };
      const { apiKey, key } = await accounts.createKey(actor, authority, String(request.params.pid), wanted);
      return ok({ ...presentKey(apiKey), key });
    }),
  );
  router.all(`${BASE}/:pid/keys`, onlyMethods('POST'));

  router.delete(
    `${BASE}/:pid/keys/:keyPid`,
    access(SERVICE_ACCOUNT_MANAGE),
    contract(contracts.revokeKey),
    answer(async (request) => {
      const { actor } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      await accounts.revokeKey(actor, String(request.params.pid), String(request.params.keyPid));
      return ok(null);
    }),
  );
  router.all(`${BASE}/:pid/keys/:keyPid`, onlyMethods('DELETE'));
  return router;
}

function present({ account, keys }: ServiceAccountDetails) {
  const { pid, name, createdBy, createdAt } = account;
  return { pid, name, tenantId: account.tenant.id, createdBy, createdAt, keys: keys.map(presentKey) };
}

/** A key as it may be shown: the prefix tells which one it is. */
function presentKey({ pid, prefix, scopes, createdBy, createdAt, expiresAt, lastUsedAt }: ApiKey) {
  const dates = { createdAt, expiresAt, lastUsedAt: lastUsedAt ?? null };
  return { pid, prefix: `kls_${prefix}`, scopes, createdBy, ...dates };
}
