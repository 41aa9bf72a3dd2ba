import {
  named,
  object,
  PID,
  BIG_ID,
  text,
  oneOf,
  TIME,
  partial,
  parameters,
} from '../../foundation/validation/schema.ts';
import { NAME } from './user-requests.ts';
import { type TenantsService } from './tenants.service.ts';
import { type RequireEverywhere } from './authority.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { ADMIN_USERS } from '../../platform/metadata/permissions/permission-codes.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import { type Tenant } from '../../platform/auth/accounts/tenant.entity.ts';

const BASE = '/api/admin/tenants';
const tag = 'Administration';
const TENANT_STATUSES = ['active', 'suspended'] as const;

const TENANT = named(
  'Tenant',
  object({ pid: PID, tenantId: BIG_ID, name: text(), status: oneOf(TENANT_STATUSES), createdAt: TIME }),
);
const TENANT_CHANGES_BODY = partial({ name: NAME, status: oneOf(TENANT_STATUSES) });

/** Tenants. All need `admin:users`. */
export function tenantEndpoints(tenants: TenantsService, requireEverywhere: RequireEverywhere): readonly Endpoint[] {
  const authorize = requireEverywhere(ADMIN_USERS);
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access: [ADMIN_USERS],
      authorize,
      tag,
      summary: 'All tenants',
      query: parameters(PAGING_QUERY),
      data: pageOf(TENANT),
      async handle({ query }) {
        const { records, total } = await tenants.list(query);
        return { records: records.map(present), total, ...query };
      },
    }),
    endpoint({
      method: 'POST',
      path: BASE,
      access: [ADMIN_USERS],
      authorize,
      tag,
      summary: 'Make a tenant',
      body: object({ name: NAME }),
      data: TENANT,
      errors: ['CONFLICT'],
      handle: async ({ actor, body }) => present(await tenants.create(actor, body.name)),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid`,
      access: [ADMIN_USERS],
      authorize,
      tag,
      summary: 'One tenant',
      data: TENANT,
      handle: async ({ params }) => present(await tenants.get(params.pid)),
    }),
    endpoint({
      method: 'PATCH',
      path: `${BASE}/:pid`,
      access: [ADMIN_USERS],
      authorize,
      tag,
      summary: 'Rename, suspend or reactivate a tenant',
      body: TENANT_CHANGES_BODY,
      data: TENANT,
      errors: ['CONFLICT'],
      handle: async ({ actor, params, body }) => present(await tenants.update(actor, params.pid, body)),
    }),
  ];
}

function present({ id, pid, name, status, createdAt }: Tenant) {
  return { pid, tenantId: id, name, status, createdAt };
}
