import {
  withMessage,
  list,
  text,
  PID,
  TIME,
  nullable,
  named,
  object,
  BIG_ID,
  NOTHING,
  oneOf,
  described,
  parameters,
} from '../../../foundation/validation/schema.ts';
import {
  PERMISSION_CODE_PATTERN,
  SERVICE_ACCOUNT_MANAGE,
} from '../../../platform/metadata/permissions/permission-codes.ts';
import {
  type KeyDetails,
  type ServiceAccountsService,
  type ServiceAccountDetails,
} from './service-accounts.service.ts';
import { type RequireEverywhere } from '../authority.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { PAGING_QUERY, pageOf } from '../../../foundation/http/paging.ts';
import { NAME } from '../user-requests.ts';
import { SUSPENSIONS } from '../../../platform/auth/accounts/vouching.ts';
import { shownPrefix } from '../../../platform/auth/api-keys/api-keys.ts';
import { text as message, type Message } from '../../../foundation/i18n/text.ts';
import { DEFAULT_KEY_DAYS, MAX_KEY_DAYS, MAX_SCOPES } from '../administration.limits.ts';
import { textOf } from '../../../foundation/validation/formats.ts';
import { DAY_MS } from '../../../foundation/durations.ts';
import { parseIsoDatetime } from '../../../foundation/validation/iso-datetime.ts';

/** When a key is to end. */
const KEY_EXPIRY = textOf('key-expiry', problemOfExpiry, {
  description: `ISO 8601; ${DEFAULT_KEY_DAYS} days from now where nothing is said`,
});

const BASE = '/api/admin/service-accounts';
const tag = 'Administration';

const SCOPES = withMessage(
  message('must be an array of 1 to {max} permission codes', { max: MAX_SCOPES }),
  list(text({ pattern: PERMISSION_CODE_PATTERN }), { minItems: 1, maxItems: MAX_SCOPES }),
);
const KEY = {
  pid: PID,
  prefix: text(),
  scopes: list(text()),
  createdBy: PID,
  ownedBy: described('The user whose rights the key needs', PID),
  suspended: described('Why it does not work in the environment of the request', nullable(oneOf(SUSPENSIONS))),
  createdAt: TIME,
  expiresAt: nullable(TIME),
  lastUsedAt: nullable(TIME),
};
const SERVICE_ACCOUNT = named(
  'ServiceAccount',
  object({ pid: PID, name: text(), tenantId: BIG_ID, createdBy: PID, createdAt: TIME, keys: list(object(KEY)) }),
);

/**
 * Programs that use the API, and their keys. All need `service_account:manage`, and reach the own tenant
 * alone.
 */
export function serviceAccountEndpoints(
  accounts: ServiceAccountsService,
  requireEverywhere: RequireEverywhere,
): readonly Endpoint[] {
  return [...accountEndpoints(accounts, requireEverywhere), ...keyEndpoints(accounts, requireEverywhere)];
}

function accountEndpoints(accounts: ServiceAccountsService, requireEverywhere: RequireEverywhere): readonly Endpoint[] {
  const authorize = requireEverywhere(SERVICE_ACCOUNT_MANAGE);
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access: [SERVICE_ACCOUNT_MANAGE],
      authorize,
      tag,
      summary: 'Service accounts of the tenant',
      query: parameters(PAGING_QUERY),
      data: pageOf(SERVICE_ACCOUNT),
      async handle({ actor, query }) {
        const { records, total } = await accounts.list(actor, query);
        return { records: records.map(present), total, ...query };
      },
    }),
    endpoint({
      method: 'POST',
      path: BASE,
      access: [SERVICE_ACCOUNT_MANAGE],
      authorize,
      tag,
      summary: 'Make a service account',
      body: object({ name: NAME }),
      data: SERVICE_ACCOUNT,
      errors: ['CONFLICT'],
      handle: async ({ actor, body }) => present(await accounts.create(actor, body.name)),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid`,
      access: [SERVICE_ACCOUNT_MANAGE],
      authorize,
      tag,
      summary: 'One service account',
      data: SERVICE_ACCOUNT,
      handle: async ({ actor, params }) => present(await accounts.get(actor, params.pid)),
    }),
    endpoint({
      method: 'DELETE',
      path: `${BASE}/:pid`,
      access: [SERVICE_ACCOUNT_MANAGE],
      authorize,
      tag,
      summary: 'Delete a service account and its keys',
      data: NOTHING,
      async handle({ actor, granted, params }) {
        await accounts.delete(actor, granted, params.pid);
        return null;
      },
    }),
  ];
}

function keyEndpoints(accounts: ServiceAccountsService, requireEverywhere: RequireEverywhere): readonly Endpoint[] {
  const authorize = requireEverywhere(SERVICE_ACCOUNT_MANAGE);
  return [
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/adopt`,
      access: [SERVICE_ACCOUNT_MANAGE],
      authorize,
      tag,
      summary: 'Answer for its keys, so that those whose owner is gone or demoted work again',
      data: SERVICE_ACCOUNT,
      handle: async ({ actor, granted, params }) => present(await accounts.adopt(actor, granted, params.pid)),
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/keys`,
      access: [SERVICE_ACCOUNT_MANAGE],
      authorize,
      tag,
      summary: 'Make an API key; `key` is shown only now',
      body: object({ scopes: SCOPES }, { expiresAt: KEY_EXPIRY }),
      data: object({ ...KEY, key: text() }),
      errors: ['CONFLICT'],
      check({ granted, body: { scopes = [] } }, errors) {
        Object.assign(errors, granted.problemsOfScopes(scopes));
      },
      async handle({ actor, granted, params, body }) {
        const wanted = { scopes: [...new Set(body.scopes)], expiresAt: expiryOf(body.expiresAt) };
        const { key, ...details } = await accounts.createKey(actor, granted, params.pid, wanted);
        return { ...presentKey(details), key };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${BASE}/:pid/keys/:keyPid`,
      access: [SERVICE_ACCOUNT_MANAGE],
      authorize,
      tag,
      summary: 'Revoke an API key',
      data: NOTHING,
      async handle({ actor, granted, params }) {
        await accounts.revokeKey(actor, granted, params.pid, params.keyPid);
        return null;
      },
    }),
  ];
}

function present({ account, keys }: ServiceAccountDetails) {
  const { pid, name, createdBy, createdAt } = account;
  return { pid, name, tenantId: account.tenant.id, createdBy, createdAt, keys: keys.map(presentKey) };
}

/** The prefix tells which key it is; the key itself is never shown again. */
function presentKey({ apiKey, suspended }: KeyDetails) {
  const { pid, prefix, scopes, createdBy, ownedBy, createdAt, expiresAt, lastUsedAt = null } = apiKey;
  return { pid, prefix: shownPrefix(prefix), scopes, createdBy, ownedBy, suspended, createdAt, expiresAt, lastUsedAt };
}

function problemOfExpiry(given: string): Message | null {
  const end = parseIsoDatetime(given)?.getTime() ?? Number.NaN;
  const now = Date.now();
  if (end > now && end <= now + MAX_KEY_DAYS * DAY_MS) return null;
  return message('must be an ISO 8601 time within the next {days} days', { days: MAX_KEY_DAYS });
}

function expiryOf(given: string | undefined): Date {
  return given === undefined ? new Date(Date.now() + DEFAULT_KEY_DAYS * DAY_MS) : new Date(given);
}
