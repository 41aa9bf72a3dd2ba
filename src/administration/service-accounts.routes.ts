import { Router } from 'express';
import type { ApiKey } from '../auth/service-account.entity.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { jsonBody } from '../http/json-body.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { PERMISSION_CODE_PATTERN, SERVICE_ACCOUNT_MANAGE } from '../metadata/permission-codes.ts';
import type { Admit } from './admitted.ts';
import type { NewKey, ServiceAccountDetails, ServiceAccountsService } from './service-accounts.service.ts';
import { parseName, refuseOthers } from './user-requests.ts';
import * as contracts from './administration.contracts.ts';

const BASE = '/api/admin/service-accounts';
const DAY_MS = 86_400_000;
const DEFAULT_LIFETIME_DAYS = 90;
const MAX_LIFETIME_DAYS = 366;
const { MAX_SCOPES } = contracts;
const SCOPE = new RegExp(PERMISSION_CODE_PATTERN);

/** Programs that use the API, and their keys. All need `service_account:manage`, and reach the own tenant alone. */
export function serviceAccountRoutes(admit: Admit, accounts: ServiceAccountsService): Router {
  const router = Router();

  router.get(
    BASE,
    access(SERVICE_ACCOUNT_MANAGE),
    contract(contracts.listServiceAccounts),
    answer(async (request) => {
      const { actor } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      const errors: FieldErrors = {};
      const paging = parsePaging(request.query, errors);
      throwIfInvalid(errors);
      const { records, total } = await accounts.list(actor, paging);
      return ok({ records: records.map(present), total, ...paging });
    }),
  );
  router.post(
    BASE,
    access(SERVICE_ACCOUNT_MANAGE),
    contract(contracts.createServiceAccount),
    jsonBody,
    answer(async (request) => {
      const { actor } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      const body = request.body as Record<string, unknown>;
      const errors: FieldErrors = {};
      const name = parseName('name', body.name, errors);
      refuseOthers(body, ['name'], errors);
      throwIfInvalid(errors);
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
    jsonBody,
    answer(async (request) => {
      const { actor, authority } = await admit(request, SERVICE_ACCOUNT_MANAGE);
      const wanted = parseNewKey(request.body as Record<string, unknown>);
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

function parseNewKey(body: Record<string, unknown>): NewKey {
  const errors: FieldErrors = {};
  const { scopes, expiresAt } = body;
  const codes = Array.isArray(scopes) ? (scopes as unknown[]) : [];
  if (codes.length === 0 || codes.length > MAX_SCOPES || !codes.every((code) => SCOPE.test(String(code)))) {
    errors.scopes = `must be an array of 1 to ${MAX_SCOPES} permission codes`;
  }
  const now = Date.now();
  const end = expiresAt === undefined ? now + DEFAULT_LIFETIME_DAYS * DAY_MS : timeOf(expiresAt);
  if (!(end > now && end <= now + MAX_LIFETIME_DAYS * DAY_MS)) {
    errors.expiresAt = `must be an ISO 8601 time within the next ${MAX_LIFETIME_DAYS} days`;
  }
  refuseOthers(body, ['scopes', 'expiresAt'], errors);
  throwIfInvalid(errors);
  return { scopes: [...new Set(codes.map(String))], expiresAt: new Date(end) };
}

function timeOf(value: unknown): number {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(T|$)/.test(value) ? Date.parse(value) : Number.NaN;
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
