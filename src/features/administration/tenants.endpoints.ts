import { TIME_ZONE } from '../../platform/records/aggregates/aggregate-schema.ts';
import {
  described,
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
import { storable } from '../../foundation/validation/formats.ts';
import { MAX_KEYWORD_LENGTH } from './administration.limits.ts';
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

const ZONE = described('Where its days begin; UTC by default', TIME_ZONE);
const TENANT = named(
  'Tenant',
  object({
    pid: PID,
    tenantId: BIG_ID,
    name: text(),
    status: oneOf(TENANT_STATUSES),
    timeZone: text(),
    createdAt: TIME,
  }),
);
const TENANT_CHANGES_BODY = partial({ name: NAME, status: oneOf(TENANT_STATUSES), timeZone: ZONE });

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
      query: parameters({
        ...PAGING_QUERY,
        keyword: described('A part of the name', storable({ maxLength: MAX_KEYWORD_LENGTH })),
      }),
      data: pageOf(TENANT),
      async handle({ query: { keyword = '', ...paging } }) {
        const { records, total } = await tenants.list(keyword, paging);
        return { records: records.map(present), total, ...paging };
      },
    }),
    endpoint({
      method: 'POST',
      path: BASE,
      access: [ADMIN_USERS],
      authorize,
      tag,
      summary: 'Make a tenant',
      body: object({ name: NAME }, { timeZone: ZONE }),
      data: TENANT,
      errors: ['CONFLICT'],
      handle: async ({ actor, body }) => present(await tenants.create(actor, body)),
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
      summary: 'Rename, suspend or reactivate a tenant, or move it to another time zone',
      body: TENANT_CHANGES_BODY,
      data: TENANT,
      errors: ['CONFLICT'],
      handle: async ({ actor, params, body }) => present(await tenants.update(actor, params.pid, body)),
    }),
  ];
}

function present({ id, pid, name, status, timeZone, createdAt }: Tenant) {
  return { pid, tenantId: id, name, status, timeZone, createdAt };
}
