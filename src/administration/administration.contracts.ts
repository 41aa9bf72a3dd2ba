import type { Contract } from '../http/contract.ts';
import { storable } from '../http/formats.ts';
import { PAGING_QUERY, pageOf } from '../http/paging.ts';
import {
  BIG_ID,
  BOOLEAN,
  list,
  named,
  NOTHING,
  nullable,
  object,
  oneOf,
  partial,
  PID,
  saying,
  text,
  TIME,
} from '../http/schema.ts';
import { PERMISSION_CODE_PATTERN } from '../metadata/permission-codes.ts';
import { KEY_EXPIRY } from './key-expiry.ts';
import { NAME, NEW_USER_BODY, TENANT_ID, USER_CHANGES_BODY, USER_STATUSES } from './user-requests.ts';

const tag = 'Administration';
const path = { pid: PID };

const TENANT_STATUSES = ['active', 'suspended'] as const;
const MAX_SCOPES = 100;
const MAX_KEYWORD_LENGTH = 200;

const USER = named(
  'User',
  object({
    pid: PID,
    userId: BIG_ID,
    email: text(),
    username: text(),
    status: oneOf(USER_STATUSES),
    memberships: list(object({ tenantId: BIG_ID, tenantName: text(), roles: list(text()) })),
    createdAt: TIME,
  }),
);
const TENANT = named(
  'Tenant',
  object({ pid: PID, tenantId: BIG_ID, name: text(), status: oneOf(TENANT_STATUSES), createdAt: TIME }),
);
const SCOPES = saying(
  `must be an array of 1 to ${MAX_SCOPES} permission codes`,
  list(text({ pattern: PERMISSION_CODE_PATTERN }), { minItems: 1, maxItems: MAX_SCOPES }),
);
const KEY = {
  pid: PID,
  prefix: text(),
  scopes: list(text()),
  createdBy: PID,
  createdAt: TIME,
  expiresAt: nullable(TIME),
  lastUsedAt: nullable(TIME),
};
const SERVICE_ACCOUNT = named(
  'ServiceAccount',
  object({ pid: PID, name: text(), tenantId: BIG_ID, createdBy: PID, createdAt: TIME, keys: list(object(KEY)) }),
);

export const listUsers: Contract = {
  ...{ tag, summary: 'Users, of all tenants with `admin:users`', data: pageOf(USER) },
  query: {
    ...PAGING_QUERY,
    keyword: storable({ maxLength: MAX_KEYWORD_LENGTH }),
    status: oneOf(USER_STATUSES),
    tenantId: saying('must be the id of a tenant', TENANT_ID),
  },
};
export const createUser: Contract = {
  ...{ tag, summary: 'Make a user', body: NEW_USER_BODY, data: USER, errors: ['CONFLICT'] },
};
export const getUser: Contract = { tag, summary: 'One user', path, data: USER };
export const changeUser: Contract = {
  ...{ tag, summary: 'Change a user', path, body: USER_CHANGES_BODY, data: USER, errors: ['CONFLICT'] },
};
export const resetUser: Contract = {
  ...{ tag, summary: 'End all sessions and have the user choose a new password', path, data: NOTHING },
  errors: ['CONFLICT'],
};

export const listTenants: Contract = { tag, summary: 'All tenants', query: PAGING_QUERY, data: pageOf(TENANT) };
export const createTenant: Contract = {
  ...{ tag, summary: 'Make a tenant', body: object({ name: NAME }), data: TENANT, errors: ['CONFLICT'] },
};
export const getTenant: Contract = { tag, summary: 'One tenant', path, data: TENANT };
export const changeTenant: Contract = {
  ...{ tag, summary: 'Rename, suspend or reactivate a tenant', path, data: TENANT, errors: ['CONFLICT'] },
  body: partial({ name: NAME, status: oneOf(TENANT_STATUSES) }),
};

export const listRoles: Contract = {
  ...{ tag, summary: 'The roles that memberships may name' },
  data: list(object({ code: text(), name: text(), builtIn: BOOLEAN, codes: list(text()), grantable: BOOLEAN })),
};

export const listServiceAccounts: Contract = {
  ...{ tag, summary: 'Service accounts of the tenant', query: PAGING_QUERY, data: pageOf(SERVICE_ACCOUNT) },
};
export const createServiceAccount: Contract = {
  ...{ tag, summary: 'Make a service account', body: object({ name: NAME }) },
  ...{ data: SERVICE_ACCOUNT, errors: ['CONFLICT'] },
};
export const getServiceAccount: Contract = { tag, summary: 'One service account', path, data: SERVICE_ACCOUNT };
export const deleteServiceAccount: Contract = {
  ...{ tag, summary: 'Delete a service account and its keys', path, data: NOTHING },
};
export const createKey: Contract = {
  tag,
  summary: 'Make an API key; `key` is shown only now',
  path,
  body: object({ scopes: SCOPES }, { expiresAt: KEY_EXPIRY }),
  data: object({ ...KEY, key: text() }),
  errors: ['CONFLICT'],
};
export const revokeKey: Contract = {
  ...{ tag, summary: 'Revoke an API key', path: { ...path, keyPid: PID }, data: NOTHING },
};

export const listMails: Contract = {
  ...{ tag, summary: 'The last e-mails of a development node; 404 where they go by SMTP', errors: ['NOT_FOUND'] },
  data: list(object({ to: text(), subject: text(), text: text(), at: TIME })),
};
